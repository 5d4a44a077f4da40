/** What the editor offers for the lines and the body of a request. */

type FormLine = readonly [insert: string, detail: string];

export const headerLines: readonly FormLine[] = [
  ['X-Request-Id: ${correlation_id}', 'lets the target log the id of the run'],
  ['Content-Type: application/json', 'what the body is'],
  ['Accept: application/json', 'what the response may be'],
  ['Authorization:', 'with nothing after it: send none; otherwise the one of the config is sent'],
  ['If-None-Match: <etag>', 'a conditional request'],
];

/** Below a line GRPC. */
export const grpcLines: readonly FormLine[] = [
  ['proto: <file>', 'the schema; without it the target is asked for it by reflection'],
  ...headerLines.filter(([insert]) => /^(?:X-Request-Id|Authorization):/.test(insert)),
  ['grpc-timeout: <time>', 'the deadline that the target gets, such as `500m` for 500 ms'],
];

/** Fences of a body, with what they hold. */
export const bodyFences: readonly (readonly [info: string, content: string, detail: string])[] = [
  ['json', '{ "<name>": "<value>" }', 'a body of JSON, with its Content-Type in a header line'],
  ['form', '<name> = <value>', 'the fields of a form; it gets its Content-Type'],
  [
    'multipart',
    '<name> = <value>\n<name> = @<file>',
    'fields, and files beside the scenario; it gets its Content-Type',
  ],
  [
    'messages',
    '<message>',
    'what is sent through a WebSocket or as a stream of gRPC, a message on each line; with `receive messages …`',
  ],
  ['graphql', 'query { <field> }', 'a query, and its variables below a line `variables`; it gets its Content-Type'],
];
