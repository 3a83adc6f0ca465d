//! A result in a JSON-RPC response is the same result.
#![cfg_attr(fuzzing, no_main)]
extgate_fuzz::target!(check_json_rpc);
