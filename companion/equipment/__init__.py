"""The check of the equipment: `diagnosis` takes measurements and says what they mean, `steps` puts
them in order, a view shows it."""
