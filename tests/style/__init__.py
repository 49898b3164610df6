"""The rules of style that no linter knows, each a function from a tree to its findings."""
