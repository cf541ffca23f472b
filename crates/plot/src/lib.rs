//! Plots as SVG and PNG, light and dark.
