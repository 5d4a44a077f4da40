/** What a method says about its failure: `google.rpc.Status`, with the standard details of google/rpc/error_details.proto. */
import type { Root } from 'protobufjs';
import { toProtoJson } from './message-json.ts';
import { parseProtoFiles } from './parse-proto.ts';

const standardTypes = `syntax = "proto3";
package google.rpc;
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
message Status { int32 code = 1; string message = 2; repeated google.protobuf.Any details = 3; }
message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
message RetryInfo { google.protobuf.Duration retry_delay = 1; }
message DebugInfo { repeated string stack_entries = 1; string detail = 2; }
message QuotaFailure {
  message Violation { string subject = 1; string description = 2; }
  repeated Violation violations = 1;
}
message PreconditionFailure {
  message Violation { string type = 1; string subject = 2; string description = 3; }
  repeated Violation violations = 1;
}
message BadRequest {
  message FieldViolation {
    string field = 1;
    string description = 2;
    string reason = 3;
    LocalizedMessage localized_message = 4;
  }
  repeated FieldViolation field_violations = 1;
}
message RequestInfo { string request_id = 1; string serving_data = 2; }
message ResourceInfo { string resource_type = 1; string resource_name = 2; string owner = 3; string description = 4; }
message Help { message Link { string description = 1; string url = 2; } repeated Link links = 1; }
message LocalizedMessage { string locale = 1; string message = 2; }
`;

let standardRoot: Root | undefined;

/** Each with its `@type`; `encoded` is the value of `grpc-status-details-bin`. Those of unknown types have their bytes in Base64. */
export function decodeErrorDetails(encoded: string | undefined, schema: Root): readonly unknown[] {
  if (encoded === undefined) return [];
  standardRoot ??= parseProtoFiles([{ path: 'google/rpc/status.proto', text: standardTypes }]);
  const status = standardRoot.lookupType('google.rpc.Status');
  try {
    const { details } = status.toObject(status.decode(Buffer.from(encoded, 'base64')), { arrays: true });
    return Array.isArray(details) ? details.map((detail) => decodeDetail(detail, [schema, standardRoot])) : [];
  } catch {
    return [];
  }
}

function decodeDetail(
  { type_url: url = '', value: bytes = Buffer.alloc(0) }: { readonly type_url?: string; readonly value?: Uint8Array },
  roots: readonly (Root | undefined)[],
): unknown {
  const name = url.slice(url.lastIndexOf('/') + 1);
  const type = roots.map((root) => findType(root, name)).find((each) => each !== undefined);
  if (!type) return { '@type': url, value: Buffer.from(bytes).toString('base64') };
  const json = toProtoJson(type, type.decode(bytes));
  const isPlain = typeof json === 'object' && json !== null && !type.fullName.startsWith('.google.protobuf.');
  return isPlain ? { '@type': url, ...json } : { '@type': url, value: json };
}

function findType(root: Root | undefined, name: string) {
  try {
    return root?.lookupType(name);
  } catch {
    return undefined;
  }
}
