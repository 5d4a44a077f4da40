/** Binds a `Scenario` to values: the request to send. */
import { vpError } from '../errors/vp-error.ts';
import { encodeBody, getEncodedContentType, markLineBreaks, splitMessages } from './body-encoding.ts';
import type { CapturedValue, CapturedValues } from './capture.ts';
import { grpcHeaders } from './grpc-call.ts';
import { encodeMultipart } from './multipart.ts';
import type { BodyEncoding, GrpcMethod, Method, Scenario, Template, Trigger } from './scenario.ts';
import { buildCallMessage, callHeaders, escapeInJson } from './tool-call.ts';

/** Values of the placeholders. */
export type BindValues = {
  /** Scheme, host and port, no slash at the end. */
  readonly origin: string;
  readonly correlationId: string;
  /** Values of the other placeholders, by name. */
  readonly variables: Readonly<Record<string, string>>;
  /** What earlier requests of the scenario captured, by name. */
  readonly captures?: CapturedValues | undefined;
};

/** Source of the `Authorization` header: the config, the scenario, or none (an empty header line sends none). */
export type AuthorizationSource = 'config' | 'scenario' | 'none';

/**
 * The request, all placeholders replaced. `path` begins with `/`, `url` is origin and path. `headers` are the scenario's
 * own, without an empty `Authorization`; the sender adds `X-Correlation-Id`, and `Authorization` where its source is `config`.
 */
export type BoundRequest = {
  readonly method: Method;
  readonly url: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly authorization: AuthorizationSource;
  readonly body: string | undefined;
  /** What is sent where `body` is not the text of it, but displays it. */
  readonly bodyBytes?: Uint8Array;
  /** What is sent through a WebSocket or to a method of gRPC, in place of the body. */
  readonly messages?: readonly string[];
  /** The tool that the request calls; undefined for other requests. */
  readonly tool?: string;
  /** The method that the request calls; its messages are `messages`, as JSON. */
  readonly grpc?: GrpcMethod;
};

/** Encodes a value for its position, or throws an error that names its placeholder. `capture`: where it is a captured value. */
type Insert = (value: string, name: string, capture: CapturedValue | undefined) => string;

const asItStands: Insert = (value) => value;

/** Header values are visible characters of ISO 8859-1, spaces and tabs (RFC 9110, 5.5). */
const unsendable = /[^\P{Cc}\t]|[^\0-\u00ff]/u;

const inHeader: Insert = (value, name) => {
  if (!unsendable.test(value)) return value;
  const problem = /[\r\n]/.test(value) ? 'a line break' : 'a character that no header may hold';
  throw vpError('SCENARIO_VARIABLE_UNSENDABLE', { placeholder: `\${${name}}`, problem });
};

/** Keeps path separators; percent-encodes characters that would end the path or break the request line. */
const inPath: Insert = (value) =>
  value.replaceAll(/[^!$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z|~]+/g, (text) => encodeURIComponent(text.toWellFormed()));

/** The target chose a captured text: it must not end a string of the body, or begin another field of a form. */
function chooseBodyInsert(headers: BoundRequest['headers']): Insert {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1].toLowerCase() ?? '';
  if (/^application\/x-www-form-urlencoded\b/.test(type))
    return (value, _name, capture) => (capture ? encodeURIComponent(value.toWellFormed()) : value);
  if (!/^[^;]*[/+]json\b/.test(type)) return asItStands;
  return (value, _name, capture) => (capture?.isText === true ? JSON.stringify(value).slice(1, -1) : value);
}

/** Value of a placeholder that every scenario may use. Throws SCENARIO_VARIABLE_MISSING. */
export function resolvePlaceholder(name: string, values: BindValues): string {
  if (name === 'INGESTION_URL') return values.origin;
  if (name === 'correlation_id') return values.correlationId;
  const captured = values.captures?.get(name);
  if (captured !== undefined) return captured.text;
  const value = Object.hasOwn(values.variables, name) ? values.variables[name] : undefined;
  if (value === undefined) throw vpError('SCENARIO_VARIABLE_MISSING', { placeholder: `\${${name}}` });
  return value;
}

function fill({ parts }: Template, values: BindValues, insert: Insert): string {
  let text = '';
  for (const part of parts) {
    if ('text' in part) text += part.text;
    else {
      const { placeholder } = part;
      text += insert(resolvePlaceholder(placeholder, values), placeholder, values.captures?.get(placeholder));
    }
  }
  return text;
}

function isAuthorization(name: string): boolean {
  return name.toLowerCase() === 'authorization';
}

function bindToolCall(tool: string, args: Template | undefined, values: BindValues): BoundRequest {
  const path = '/agent/mcp';
  return {
    method: 'POST',
    url: values.origin + path,
    path,
    headers: callHeaders,
    authorization: 'config',
    body: buildCallMessage(tool, bindArguments(args, values), values.correlationId),
    tool,
  };
}

/** The arguments of a tool call, as JSON text. Throws SCENARIO_VARIABLE_MISSING. */
export function bindArguments(args: Template | undefined, values: BindValues): string {
  return args ? fill(args, values, escapeInJson) : '{}';
}

/** Finds the source of the `Authorization` header of this trigger. */
export function resolveAuthorization(trigger: Trigger): AuthorizationSource {
  const own = trigger.headers.find(({ name }) => isAuthorization(name));
  if (own === undefined) return 'config';
  return own.value.parts.length === 0 ? 'none' : 'scenario';
}

/** `type` is that of an encoded body; `bytes` are sent where the text only displays them. */
type BoundBody = {
  readonly text: string | undefined;
  readonly type?: string;
  readonly bytes?: Uint8Array;
  readonly messages?: readonly string[];
};

/** The fields of a form are encoded after its lines are read. */
function bindBody(
  body: Template | undefined,
  encoding: BodyEncoding | undefined,
  headers: BoundRequest['headers'],
  values: BindValues,
): BoundBody {
  if (body === undefined) return { text: undefined };
  if (encoding?.kind === 'multipart')
    return encodeMultipart(encoding.fields, values.correlationId, (value) => fill(value, values, asItStands));
  if (!encoding) return { text: fill(body, values, chooseBodyInsert(headers)) };
  if (encoding.kind === 'messages') {
    const insertJson = chooseBodyInsert([['Content-Type', 'application/json']]);
    const insert: Insert = (value, name, capture) => markLineBreaks(insertJson(value, name, capture));
    const messages = splitMessages(fill(body, values, insert));
    return { text: messages.join('\n'), messages };
  }
  const type = getEncodedContentType(encoding);
  const insert = encoding.kind === 'form' ? markLineBreaks : chooseBodyInsert([['Content-Type', type]]);
  return { text: encodeBody(encoding, fill(body, values, insert)), type };
}

/** The JSON of each message; without a body, one message with no field set. */
function bindMessages({ body, encoding }: Trigger, values: BindValues): BoundBody {
  if (encoding?.kind === 'messages') return bindBody(body, encoding, [], values);
  const text = body ? fill(body, values, chooseBodyInsert([['Content-Type', 'application/json']])) : '{}';
  return { text, messages: [text] };
}

/**
 * Replaces every placeholder; a captured text is escaped in a body that is JSON or a form. Throws SCENARIO_VARIABLE_MISSING where a name has no value, and
 * SCENARIO_VARIABLE_UNSENDABLE where a header's value would hold a line break or another character no header may hold.
 */
export function bindTrigger({ trigger }: Pick<Scenario, 'trigger'>, values: BindValues): BoundRequest {
  const { method, body, tool } = trigger;
  if (tool !== undefined) return bindToolCall(tool, body, values);
  const authorization = resolveAuthorization(trigger);
  const path = fill(trigger.path, values, inPath);
  const sent =
    authorization === 'none' ? trigger.headers.filter(({ name }) => !isAuthorization(name)) : trigger.headers;
  const headers = sent.map(({ name, value }) => [name, fill(value, values, inHeader)] as const);
  const { text, type, bytes, messages } = trigger.grpc
    ? bindMessages(trigger, values)
    : bindBody(body, trigger.encoding, headers, values);
  return {
    method,
    url: values.origin + path,
    path,
    headers: [
      ...headers,
      ...(type === undefined ? [] : [['Content-Type', type] as const]),
      ...(trigger.grpc ? grpcHeaders : []),
    ],
    authorization,
    body: text,
    ...(bytes ? { bodyBytes: bytes } : {}),
    ...(messages ? { messages } : {}),
    ...(trigger.grpc ? { grpc: trigger.grpc } : {}),
  };
}
