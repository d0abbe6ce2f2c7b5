"""Equipment check: `diagnosis` measures and judges, `steps` runs the steps in order, `board` tests
card readers. A view shows it."""
