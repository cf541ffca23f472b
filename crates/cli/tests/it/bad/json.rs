//! Scenes in JSON.

use super::harness::{Text, refuse_texts};

#[test]
fn scenes_in_json_are_refused_with_their_place() {
    refuse_texts("scene.json", TEXTS);
}

pub(super) const TEXTS: &[Text] = &[
    ("empty", "", "1:1", "the end of the file"),
    ("blank", "\n\n", "3:1", "the end of the file"),
    ("a list", "[1]", "1:1", "a scene"),
    ("null", "null", "1:1", "a scene"),
    ("two scenes", "{} {}", "1:4", "the end of the file"),
    ("a comma too many", "{\"seed\": 1,}", "1:12", "a key in quotes"),
    ("a comment", "{ // none\n}", "1:3", "a key in quotes"),
    ("single quotes", "{'seed': 1}", "1:2", "a key in quotes"),
    ("NaN", "{\"bodies\": {\"a\": {\"mass\": NaN}}}", "1:27", "a value"),
    ("infinity", "{\"bodies\": {\"a\": {\"mass\": 1e999}}}", "1:27", "64 bits"),
    ("a key twice", "{\"seed\": 1,\n \"seed\": 2}", "2:2", "twice"),
    ("half a surrogate", "{\"title\": \"\\ud800\"}", "1:13", "half a character"),
    ("a text over two lines", "{\"title\": \"a\nb\"}", "1:13", ""),
    ("null as a mass", "{\"bodies\": {\"a\": {\"mass\": null}}}", "1:27", "a number above 0"),
    ("misspelt key", "{\"bodies\": {\"a\": {\"mas\": 1}}}", "1:19", "did you mean `mass`?"),
    ("list as bodies", "{\"bodies\": []}", "1:12", "a table of names"),
    ("cut off", "{\"bodies\": {\"a\": {\"mass\": 1", "1:28", ""),
    ("leading zero", "{\"seed\": 01}", "1:10", "begins with 0"),
    ("a plus", "{\"seed\": +1}", "1:10", "a value"),
];
