"""What tests share: built records, scripted and virtual ranks, drawn noise."""
