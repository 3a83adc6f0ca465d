//! The preimages of a manifest's schema digests, made plainly, so that their hashing can be timed alone.

use serde_json::Value;

/// One preimage for each declared tool.
#[allow(unreachable_pub, reason = "a module that several programs include")]
pub fn of_tools(manifest: &[u8]) -> Vec<Vec<u8>> {
    let document: Value = serde_json::from_slice(manifest).expect("JSON");
    let tools = document["extension"]["deferred"]["tools"].as_array();
    tools
        .into_iter()
        .flatten()
        .map(|tool| {
            let mut bytes = Vec::new();
            write(&tool["input_schema"], &mut bytes);
            bytes
        })
        .collect()
}

fn header(tag: u8, len: usize, bytes: &mut Vec<u8>) {
    bytes.push(tag);
    bytes.extend(u64::try_from(len).expect("64 bits").to_le_bytes());
}

fn write(value: &Value, bytes: &mut Vec<u8>) {
    match value {
        Value::Null => bytes.push(0),
        Value::Bool(truth) => bytes.extend([1, u8::from(*truth)]),
        Value::Number(number) => {
            let text = number.to_string();
            header(2, text.len(), bytes);
            bytes.extend(text.bytes());
        }
        Value::String(text) => {
            header(3, text.len(), bytes);
            bytes.extend(text.bytes());
        }
        Value::Array(items) => {
            header(4, items.len(), bytes);
            items.iter().for_each(|item| write(item, bytes));
        }
        Value::Object(members) => {
            header(5, members.len(), bytes);
            let mut keys: Vec<&String> = members.keys().collect();
            keys.sort();
            for key in keys {
                header(6, key.len(), bytes);
                bytes.extend(key.bytes());
                write(&members[key], bytes);
            }
        }
    }
}
