/** Errors and warnings of the request of a scenario and of its placeholders. */
import { invalid, warning } from './row.ts';

/** Part of the area: scenario. */
export const scenarioTriggerRows = {
  SCENARIO_TRIGGER_EMPTY: invalid(
    'there is no request under TRIGGER',
    'write its line, such as `GET ${INGESTION_URL}/api/v2/document`',
  ),
  SCENARIO_REQUEST_LINE_INVALID: invalid(
    '`{{line}}` is not a request line',
    'begin TRIGGER with `<METHOD> ${INGESTION_URL}<path>`, such as `GET ${INGESTION_URL}/api/v2/document`',
  ),
  SCENARIO_CALL_INVALID: invalid(
    'after CALL there is no name of a tool',
    'write `CALL <connection>__<tool>`, such as `CALL docs__search`, as clients of the hub see it',
  ),
  SCENARIO_CALL_HEADER: invalid(
    'a tool call has no header lines',
    'remove the line; the arguments follow a blank line or are in a fence, and the token comes from the config',
  ),
  SCENARIO_CALL_ARGUMENTS: invalid(
    'the arguments of the tool are not a JSON object',
    'write them as `{ "name": "value" }`, with placeholders inside of strings only',
  ),
  SCENARIO_GRPC_INVALID: invalid(
    'after GRPC there is no name of a method',
    'write `GRPC <package>.<Service>/<Method>`, such as `GRPC shop.v1.Orders/GetOrder`; the address comes from `targets.grpc.base_url`',
  ),
  SCENARIO_GRPC_MESSAGE: invalid(
    'the message is not JSON',
    'write it as `{ "id": 7 }`, or several in a fence `messages`, one on each line; a placeholder within a text needs its quotation marks',
  ),
  SCENARIO_METHOD_UNKNOWN: invalid('`{{method}}` is not a supported method', '{{cure}}'),
  SCENARIO_URL_INVALID: invalid(
    'the address does not begin with `${INGESTION_URL}/`',
    'write `{{right}}`: scheme, host and port come from `targets.http.base_url`, the path with its API prefix from here',
  ),
  SCENARIO_PATH_INVALID: invalid('{{sign}} is not allowed in a path', 'write it percent-encoded, as `{{encoded}}`'),
  SCENARIO_REQUEST_DOUBLED: invalid(
    'this is a second request',
    'a scenario sends one: write another scenario, or put the text into a fence if it is the body',
  ),
  SCENARIO_HEADER_LINE_INVALID: invalid(
    '`{{line}}` is not a header line',
    'write `<Name>: <value>`; a body follows a blank line or is in a fence',
  ),
  SCENARIO_HEADER_NAME_INVALID: invalid(
    '`{{name}}` is not a valid name for a header',
    'use letters, digits and hyphens, and no space before the colon',
  ),
  SCENARIO_HEADER_VALUE_INVALID: invalid(
    'the character {{point}} is not allowed in the value of a header',
    'use characters of ISO 8859-1, and encode others as the target expects',
  ),
  SCENARIO_HEADER_REFUSED: invalid('the header `{{name}}` cannot be set by a scenario', '{{cure}}'),
  SCENARIO_HEADER_DOUBLED: invalid('the header `{{name}}` appears here a second time', 'keep one of the lines'),
  SCENARIO_BODY_ENCODING: invalid('the body cannot be encoded: {{problem}}', '{{cure}}'),
  SCENARIO_BODY_AMBIGUOUS: invalid(
    '{{part}} can be read in two ways',
    'put all header lines directly below the request line, and the whole body into one fence',
  ),
  SCENARIO_BODY_REFUSED: invalid(
    'a {{method}} request has no body (RFC 9110)',
    'delete the body, or choose another method',
  ),
  SCENARIO_CONTENT_TYPE_MISSING: warning(
    'the request has a body and no Content-Type header',
    'add a header that says what the body is, such as `Content-Type: application/json`',
  ),
  SCENARIO_REQUEST_ID_MISSING: warning(
    'the target does not receive the run’s id, so the log line of the run will not be found',
    'add the header line `X-Request-Id: ${correlation_id}`',
  ),
  SCENARIO_PLACEHOLDER_UNKNOWN: invalid('`{{placeholder}}` is not a known placeholder', '{{cure}}'),
  SCENARIO_PLACEHOLDER_UNCLOSED: invalid('`${` is never closed', 'write `${NAME}` on one line'),
  SCENARIO_PLACEHOLDER_SECRET: invalid(
    '`{{placeholder}}` is a secret of the targets, which scenarios cannot read',
    'use one of {{known}}; the bearer token of the config is sent automatically',
  ),
  SCENARIO_PLACEHOLDER_UNLISTED: invalid(
    '`{{placeholder}}` is in `.env`, but not available to scenarios',
    'list it under `scenarios.variables` of platform-config.yaml, or use one of {{known}}',
  ),
  SCENARIO_VARIABLE_MISSING: invalid(
    '`{{placeholder}}` has no value',
    'set it in the `.env` next to platform-config.yaml',
  ),
  SCENARIO_VARIABLE_UNSENDABLE: invalid(
    'the value of `{{placeholder}}` has {{problem}}, so it cannot be sent in a header',
    'put the value on one line of the `.env`, in characters of ISO 8859-1',
  ),
} as const;
