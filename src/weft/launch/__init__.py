"""Launchers: how ranks are started, one class and one file each."""
