"""The check of the equipment: `measurements` are taken, `diagnosis` says what they mean, `steps`
puts them in order, a view shows it."""
