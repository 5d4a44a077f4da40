/** Checks what a server of the newest revision wants to ask against what the client said that it can answer. */
import {
  type ClientCapabilities,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { isObject } from '../../json/json-object.ts';

type Capabilities = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Throws a ProtocolError for a result that no client, or not this one, can continue with. */
export function assertAnswerable(
  method: string,
  { inputRequests, requestState }: Readonly<Record<string, unknown>>,
  declared: ClientCapabilities,
): void {
  const requests = isObject(inputRequests) ? Object.entries(inputRequests) : [];
  if (requests.length === 0 && typeof requestState !== 'string')
    throw createServerError(
      `the server of ${method} requires input and says neither which nor a state to continue with`,
    );
  for (const [key, request] of requests) {
    const required = isObject(request) ? getRequiredCapabilities(request) : undefined;
    if (!required || !isObject(request))
      throw createServerError(
        `the server of ${method} requires input '${key}' of a kind that the protocol does not have`,
      );
    const missing = findMissing(required, declared);
    if (!missing) continue;
    const problem = "the request's client capabilities do not declare the required capability";
    throw new MissingRequiredClientCapabilityError(
      { requiredCapabilities: missing },
      `Cannot request input '${key}' (${String(request.method)}): ${problem}`,
    );
  }
}

function createServerError(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InternalError, message);
}

function getRequiredCapabilities({ method, params }: Record<string, unknown>): Capabilities | undefined {
  const { mode, tools, toolChoice } = Object(params);
  if (method === 'elicitation/create') return { elicitation: mode === 'url' ? { url: {} } : { form: {} } };
  if (method === 'sampling/createMessage')
    return { sampling: tools !== undefined || toolChoice !== undefined ? { tools: {} } : {} };
  return method === 'roots/list' ? { roots: {} } : undefined;
}

/** The capabilities that are missing, in the form of the error's data. */
function findMissing(required: Capabilities, declared: ClientCapabilities): Capabilities | undefined {
  for (const [name, members] of Object.entries(required)) {
    const value: unknown = Object(declared)[name];
    if (!isObject(value)) return required;
    // Before there were forms at a URL, a client declared `elicitation` alone.
    const isForm = name === 'elicitation' && Object.keys(value).length === 0;
    const missing = Object.keys(members).filter(
      (member) => value[member] === undefined && !(isForm && member === 'form'),
    );
    if (missing.length > 0) return { [name]: Object.fromEntries(missing.map((member) => [member, {}])) };
  }
  return undefined;
}
