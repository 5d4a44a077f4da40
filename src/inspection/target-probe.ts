/** Sends requests with safe methods to a target that has no scenario yet, with the executor's own code. */
import type { ObservedBody } from '../check/observation.ts';
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { createRedactor } from '../executor/redaction/redactor.ts';
import { readResponse } from '../executor/response/read-response.ts';
import { sendRequest } from '../executor/trigger/send-request.ts';
import { createTargetDispatcher } from '../outbound/target-dispatcher.ts';
import type { ExecutionFailure, HeaderList } from '../run/evidence.ts';

/** The methods that change nothing (RFC 9110 section 9.2.1) and need no body. */
const safeMethods = ['GET', 'HEAD', 'OPTIONS'] as const;
export type SafeMethod = (typeof safeMethods)[number];

export function isSafeMethod(method: string): method is SafeMethod {
  return safeMethods.some((each) => each === method);
}

/** `headers` are sent besides those of the probe, and instead of one of the same name. */
export type ProbeRequest = {
  readonly method: SafeMethod;
  /** Begins with `/`; may have a query. */
  readonly path: string;
  readonly headers?: HeaderList;
};

export type ProbeResponse = {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: ObservedBody;
  /** At most 65,536 characters; undefined for bytes that are not text. */
  readonly text: string | undefined;
};

/** `status` of a failure: the head had arrived. */
export type ProbeResult =
  | { readonly response: ProbeResponse }
  | { readonly failure: ExecutionFailure; readonly status: number | undefined };

export type TargetProbe = {
  /** Never rejects because of the target. */
  send(request: ProbeRequest): Promise<ProbeResult>;
  /** How many requests were sent. */
  count(): number;
  close(): void;
};

type TargetProbeOptions = {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Sent with every request: the credential, for instance. */
  readonly headers: HeaderList;
  /** Never displayed. */
  readonly secrets: readonly string[];
  /** PEM certificates trusted besides the runtime's. */
  readonly extraRoots: readonly string[];
  readonly environment: Pick<Environment, 'clock' | 'random'>;
  readonly signal?: AbortSignal;
};

const timeoutMs = 5000;

export function createTargetProbe(options: TargetProbeOptions): TargetProbe {
  const { origin, extraRoots, secrets, environment, signal } = options;
  const { clock, random } = environment;
  const dispatcher = createTargetDispatcher({ extraRoots });
  const redactor = createRedactor(secrets);
  let count = 0;

  async function send({ method, path, headers = [] }: ProbeRequest): Promise<ProbeResult> {
    count += 1;
    const id = `vp-new-${random.token(6)}`;
    const standard: HeaderList = [
      ['X-Correlation-Id', id],
      ['User-Agent', `vp/${version}`],
      ['X-Request-Id', id],
    ];
    const lines = mergeHeaders(standard, options.headers, headers);
    const wire = { origin, method, path, headers: lines.flat(), body: undefined };
    const startMonotonicMs = clock.monotonicMs();
    const sent = await sendRequest(wire, {
      ...{ dispatcher, clock, startMonotonicMs, timeoutMs, signal },
      baseUrlSource: 'flag',
    });
    const { response, failure } = await readResponse(sent, origin, redactor);
    if (failure) return { failure, status: sent.head?.status };
    if (!response) throw new TypeError('a response is missing only where there is a failure');
    const { status, headers: received, body, displayedBody } = response;
    return { response: { status, headers: received, body, text: displayedBody.text } };
  }

  return { send, count: () => count, close: () => dispatcher.close() };
}

/** A later line replaces earlier ones of its name. */
function mergeHeaders(...lists: readonly HeaderList[]): [string, string][] {
  const lines = new Map<string, [string, string]>();
  for (const [name, value] of lists.flat()) lines.set(name.toLowerCase(), [name, value]);
  return [...lines.values()];
}
