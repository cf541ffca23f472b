//! One HTML file that plays a recording back.
