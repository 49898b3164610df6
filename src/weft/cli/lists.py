"""What `weft list` can list, each in a line."""

LISTS = {
    "tests": "what a run can measure, and over what each test varies",
    "transports": "what messages can go over on this machine, and their options",
    "suites": "named sets of tests, with their budgets",
    "platforms": "published clusters, with the papers that their figures are of",
}
