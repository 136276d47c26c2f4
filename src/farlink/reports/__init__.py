"""What people look at: plots, tables and what the model cards of both tasks share.

Knows neither task; what a task reports of itself is in its own `report`. Loads Matplotlib when something is drawn.
"""
