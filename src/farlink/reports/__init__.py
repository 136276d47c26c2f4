"""What people look at: plots and model cards."""
