/** What a scripted server does in a call: the client sends the script as arguments, so that every server of it does the same. */

export type AskKind = 'form' | 'url' | 'sample' | 'roots';

export type Step =
  | { readonly do: 'progress'; readonly report: Readonly<Record<string, unknown>> }
  | { readonly do: 'log'; readonly level: string; readonly data: unknown; readonly logger?: string }
  | { readonly do: 'ask'; readonly kind: AskKind }
  /** Sends the payload as it was sent, in a message of the log. */
  | { readonly do: 'echo' }
  /** Ends the stream of the response where it can be resumed. */
  | { readonly do: 'break' }
  /** Waits until the call is cancelled. */
  | { readonly do: 'hang'; readonly key: string }
  | { readonly do: 'change'; readonly list: 'tools' | 'prompts' | 'resources' }
  | { readonly do: 'update'; readonly uri: string }
  | { readonly do: 'end-task'; readonly key: string; readonly status: 'completed' | 'failed' }
  /** Says apart from the call that the person has completed the form at a URL with this id. */
  | { readonly do: 'complete'; readonly elicitationId: string };

export type CallEnd =
  | 'text'
  | 'toolError'
  | 'contents'
  | 'structured'
  /** An error whose data is the payload. */
  | 'refused'
  /** The roots that the client named when the server asked apart from a call. */
  | 'roots'
  /** Whether the call with this key was cancelled. */
  | { readonly cancelled: string }
  | { readonly code: number; readonly message: string; readonly data?: unknown };

export const revisions = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof revisions)[number];
export const newest: Revision = '2026-07-28';

export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export type JsonObject = Readonly<Record<string, unknown>>;

/** What a server asks of its client. */
export const questions: Readonly<Record<AskKind, { readonly method: string; readonly params: JsonObject }>> = {
  form: {
    method: 'elicitation/create',
    params: {
      message: 'What is your name?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
  },
  url: {
    method: 'elicitation/create',
    params: { mode: 'url', message: 'Pay here', url: 'https://pay.example.com/?q=1', elicitationId: 'e-1' },
  },
  sample: {
    method: 'sampling/createMessage',
    params: {
      messages: [{ role: 'user', content: { type: 'text', text: 'say something' } }],
      systemPrompt: 'be short',
      temperature: 0.5,
      maxTokens: 10,
      metadata: { vendor: [1, null] },
    },
  },
  roots: { method: 'roots/list', params: {} },
};

/** Whether a client with these capabilities can be asked. */
export function canAsk(kind: AskKind, { elicitation, sampling, roots }: JsonObject): boolean {
  if (kind === 'sample') return sampling !== undefined;
  if (kind === 'roots') return roots !== undefined;
  if (elicitation === undefined) return false;
  const { form, url } = Object(elicitation);
  return kind === 'url' ? url !== undefined : form !== undefined || url === undefined;
}

/** What clients of a revision can be asked. */
export function createCapabilities(revision: Revision, answersQuestions: boolean): JsonObject {
  if (!answersQuestions) return {};
  const answerable = { sampling: {}, roots: revision === newest ? {} : { listChanged: true } };
  if (revision === '2025-03-26') return answerable;
  return { ...answerable, elicitation: revision === '2025-06-18' ? {} : { form: {}, url: {} } };
}

/** What a client answers with. */
export type Answers = {
  /** JSON that it sends as it is. */
  readonly payload: string;
  readonly root: string;
};

/** The client's answer to each kind of question, as JSON. */
export function answerText(method: string, params: JsonObject, { payload, root }: Answers): string {
  const meta = `"_meta":{"example.com/answer":${payload}}`;
  if (method === 'roots/list') return `{"roots":[{"uri":${JSON.stringify(`file:///${root}`)},"name":"work"}],${meta}}`;
  if (method === 'sampling/createMessage')
    return `{"role":"assistant","content":{"type":"text","text":"something"},"model":"m","stopReason":"endTurn",${meta}}`;
  return params.mode === 'url'
    ? '{"action":"accept"}'
    : `{"action":"accept","content":{"name":"Ann","amount":9007199254740993,"rate":1.0},${meta}}`;
}

/** Where the messages that belong to a request go. */
export type Outlet = {
  send(text: string): void;
  /** Ends the connection where the client can come back; otherwise nothing happens. */
  breakOff(): Promise<void>;
  /** Ends the response without an answer. */
  end(): void;
};
