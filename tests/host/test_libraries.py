"""Versions of libraries: of packages, and of pkg-config where no package brought one."""

from collections.abc import Mapping

import pytest

from weft.host import software


def test_what_no_package_brought_is_asked_of_pkg_config(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Mapping[str, tuple[str, ...]]] = []
    names = list(software._PKG_CONFIG)

    def answers(own: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
        asked.append(own)
        return {name: "1.14.1\n" if name == names[0] else "" for name in own}

    monkeypatch.setattr(software, "answers", answers)
    monkeypatch.setattr(software, "package_versions", lambda _: {names[1]: "2.0-1"})
    assert software._libraries("whatever") == {names[1]: "2.0-1", names[0]: "1.14.1"}
    [own] = asked
    assert set(own) == set(names) - {names[1]}
    module = software._PKG_CONFIG[names[0]]
    assert own[names[0]] == ("pkg-config", "--modversion", module)


def test_without_an_answer_of_the_packages_nothing_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("weft.host.software.shutil.which", lambda name: f"/usr/bin/{name}")
    assert software._libraries(None) is None
