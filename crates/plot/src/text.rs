//! Words in a picture: how wide they are, cut to a width, made safe for XML.

/// Width of a text at a font size [px], from above for Noto Sans, Helvetica and Arial.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    size * text.chars().map(character).sum::<f64>()
}

/// In units of the font size.
fn character(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '·' | ' ' => 0.28,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' | 'I' => 0.39,
        '⁰'..='⁹' | '⁻' | '¹' | '²' | '³' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' | '→' => 0.94,
        'A'..='Z' => 0.69,
        '\u{300}'..='\u{36f}' => 0.0,
        '\u{1100}'.. => 1.0,
        _ => 0.59,
    }
}

/// The text, or its beginning and end around `…` where it is wider than `most` [px].
pub(crate) fn shortened(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_string();
    }
    let room = 0.5 * (most - width("…", size));
    let fits = |characters: &mut dyn Iterator<Item = char>| {
        let mut used = 0.0;
        let within = |c: &char| {
            used += size * character(*c);
            used <= room
        };
        characters.take_while(within).collect::<Vec<char>>()
    };
    let head: String = fits(&mut text.chars()).into_iter().collect();
    let tail: String = fits(&mut text.chars().rev()).into_iter().rev().collect();
    format!("{}…{}", head.trim_end(), tail.trim_start())
}

/// For the content of an XML element: control characters, which XML forbids, are left out.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => safe.push(c),
        }
    }
    safe
}

/// The text as content of an SVG `text`. Exponents become raised digits: not every font has the small ones.
pub(crate) fn markup(text: &str) -> String {
    let mut marked = String::new();
    let (mut run, mut digit_before) = (String::new(), false);
    for c in text.chars().chain(['\0']) {
        let raised = raised(c);
        if let Some(digit) = raised.filter(|_| digit_before || !run.is_empty() || c == '⁻') {
            run.push(digit);
            continue;
        }
        if !run.is_empty() {
            // back to the line with a word of no width
            marked.push_str(&format!(
                "<tspan dy=\"-0.42em\" font-size=\"75%\">{run}</tspan><tspan dy=\"0.32em\">\u{200b}</tspan>"
            ));
            run.clear();
        }
        digit_before = c.is_ascii_digit();
        marked.push_str(&escaped(c.encode_utf8(&mut [0; 4])));
    }
    marked
}

fn raised(c: char) -> Option<char> {
    const SMALL: [char; 11] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹', '⁻'];
    const PLAIN: [char; 11] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '−'];
    SMALL.iter().position(|&small| small == c).map(|i| PLAIN[i])
}

/// `1`, `10`, `10⁻³`.
pub(crate) fn power_of_ten(power: i64) -> String {
    match power {
        0 => "1".to_string(),
        1 => "10".to_string(),
        _ => format!("10{}", exponent(power)),
    }
}

fn exponent(power: i64) -> String {
    let small = |c: char| match c.to_digit(10) {
        Some(d) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][d as usize],
        None => '⁻',
    };
    power.to_string().chars().map(small).collect()
}

/// A number with a true minus sign.
pub(crate) fn number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|c| matches!(c, '0' | '.')) => digits.to_string(),
        Some(digits) => format!("−{digits}"),
        None => text,
    }
}

/// One digit and a power of ten: `2·10⁻¹³`.
pub(crate) fn about(value: f64) -> String {
    let text = format!("{value:.0e}");
    match text.split_once('e') {
        Some((digit, "0")) => digit.to_string(),
        Some((digit, power)) => match power.parse() {
            Ok(power) => format!("{digit}·10{}", exponent(power)),
            Err(_) => text,
        },
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_its_beginning_and_its_end() {
        let name = "left_front_lower_leg_collision_box_number_17";
        let short = shortened(name, 13.0, 120.0);
        assert!(short.starts_with("left_") && short.ends_with("_17") && short.contains('…'));
        assert!(width(&short, 13.0) <= 120.0);
        assert_eq!(shortened("leg", 13.0, 120.0), "leg");
    }

    #[test]
    fn what_xml_forbids_does_not_reach_it() {
        assert_eq!(escaped("a<b>&\u{0}\u{1b}\nc"), "a&lt;b&gt;&amp; c");
    }

    #[test]
    fn exponents_are_raised_and_units_are_left() {
        assert!(markup("10⁻³").contains(">−3</tspan>"));
        assert_eq!(markup("m/s²"), "m/s²");
        assert!(markup("10² m").ends_with(" m"));
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(number(-0.04, 1), "0.0");
        assert_eq!(number(-1.5, 1), "−1.5");
    }

    #[test]
    fn a_size_is_written_with_one_digit() {
        assert_eq!(
            [about(2.4e-13), about(0.0), about(4.2), about(1e21)],
            ["2·10⁻¹³", "0", "4", "1·10²¹"]
        );
    }
}
