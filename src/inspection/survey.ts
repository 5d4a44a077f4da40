/** Looks at a target: what answers at usual paths, whether it wants a credential, and whether it describes its API. */
import { isList, isObjectValue, type Json } from '../check/json/json.ts';
import { vpError } from '../errors/vp-error.ts';
import { parseDocumentText } from '../import/openapi/document.ts';
import { type ApiDocument, listPlainReads, parseApiDocument } from './api-document.ts';
import type { ProbeResponse, TargetProbe } from './target-probe.ts';

/** Paths of health checks and versions, the more telling first. */
const healthPaths = [
  ...['/health', '/api/health', '/healthz', '/actuator/health', '/health/ready', '/ready', '/readyz', '/livez'],
  ...[
    '/status',
    '/api/status',
    '/_health',
    '/ping',
    '/api/ping',
    '/-/ping',
    '/version',
    '/api/version',
    '/api',
    '/api/v1',
    '/v1',
    '/v2/',
  ],
];
const documentPaths = [
  ...['/openapi.json', '/api/openapi.json', '/swagger.json', '/v3/api-docs', '/api-docs', '/swagger/v1/swagger.json'],
  ...[
    '/api/v1/openapi.json',
    '/docs/openapi.json',
    '/openapi.yaml',
    '/documentation/json',
    '/api-json',
    '/spec.json',
    '/api/docs',
  ],
];

/** A GET that succeeded. */
export type RequestCandidate = {
  readonly path: string;
  readonly status: number;
  readonly kind: 'json' | 'text' | 'empty';
  readonly source: 'named' | 'document' | 'health' | 'root';
  /** For people: `object with 4 fields`. */
  readonly shape: string;
};

/** A path that wants a credential, or another one. `challenge` is of `WWW-Authenticate`. */
export type ProtectedPath = {
  readonly path: string;
  readonly status: number;
  readonly challenge: string | undefined;
};

export type TargetSurvey = {
  /** The most telling first; `/` last. */
  readonly candidates: readonly RequestCandidate[];
  readonly refusals: readonly ProtectedPath[];
  readonly document: (ApiDocument & { readonly path: string }) | undefined;
  /** Requests that were sent to find this out. */
  readonly requestCount: number;
};

const parallelRequests = 4;
/** Documented operations that are requested. */
const maxDocumented = 8;

/** `namedPaths` come from the command line. Rejects with NEW_TARGET_SILENT where nothing answers. */
export async function surveyTarget(
  probe: TargetProbe,
  randomName: string,
  namedPaths: readonly string[],
): Promise<TargetSurvey> {
  const root = await readRoot(probe);
  const [unknownPath, ...health] = await readAll(probe, [`/vp-new-${randomName}`, ...healthPaths]);
  const catchAll = unknownPath?.response;
  const document = await findDocument(probe, root);
  const documented = document ? listPlainReads(document).slice(0, maxDocumented) : [];
  const reads = await readAll(
    probe,
    documented.map(({ path }) => path),
  );
  const isAnswerOfItsOwn = ({ response }: PathResponse): boolean =>
    !(catchAll && catchAll.status < 400 && catchAll.text === response.text);
  const named = await readAll(probe, namedPaths);
  const all = [
    ...named.map((read) => ({ ...read, source: 'named' as const })),
    ...reads.map((read) => ({ ...read, source: 'document' as const })),
    ...health.filter(isAnswerOfItsOwn).map((read) => ({ ...read, source: 'health' as const })),
    ...(root === undefined ? [] : [{ path: '/', response: root, source: 'root' as const }]),
  ];
  const candidates = all.flatMap(({ path, response, source }) => toCandidate(path, response, source) ?? []);
  const refusals = all.flatMap(({ path, response }) => toRefusal(path, response) ?? []);
  return { candidates: rankCandidates(candidates), refusals, document, requestCount: probe.count() };
}

type PathResponse = { readonly path: string; readonly response: ProbeResponse };

/** Undefined where the head arrived and the body did not, as with an event stream. */
async function readRoot(probe: TargetProbe): Promise<ProbeResponse | undefined> {
  const result = await probe.send({ method: 'GET', path: '/' });
  if ('response' in result) return result.response;
  if (result.status !== undefined) return undefined;
  const { message: problem, cure: instead } = result.failure;
  throw vpError('NEW_TARGET_SILENT', { problem, instead });
}

/** The responses in the order of the paths, a few requests at a time; failed ones are left out. */
async function readAll(probe: TargetProbe, paths: readonly string[]): Promise<PathResponse[]> {
  const responses: (PathResponse | undefined)[] = [];
  let next = 0;
  const readNext = async (): Promise<void> => {
    while (next < paths.length) {
      const index = next++;
      const path = paths[index] ?? '/';
      const result = await probe.send({ method: 'GET', path });
      responses[index] = 'response' in result ? { path, response: result.response } : undefined;
    }
  };
  await Promise.all(Array.from({ length: parallelRequests }, readNext));
  return responses.filter((response) => response !== undefined);
}

/** The document of a target that was not surveyed. */
export async function findApiDocument(probe: TargetProbe): Promise<TargetSurvey['document']> {
  const root = await probe.send({ method: 'GET', path: '/' });
  return findDocument(probe, 'response' in root ? root.response : undefined);
}

async function findDocument(probe: TargetProbe, root: ProbeResponse | undefined): Promise<TargetSurvey['document']> {
  const atRoot = root && (await readDocument({ path: '/', response: root }));
  if (atRoot) return atRoot;
  for (const read of await readAll(probe, documentPaths)) {
    const document = await readDocument(read);
    if (document) return document;
  }
  return undefined;
}

async function readDocument({ path, response }: PathResponse): Promise<TargetSurvey['document']> {
  if (response.status !== 200) return undefined;
  const { body, text = '' } = response;
  const isYaml = body.kind !== 'json' && /^(?:openapi|swagger):/m.test(text);
  const value = body.kind === 'json' ? body.value : isYaml ? await parseDocumentText({ name: path, text }) : undefined;
  const document = value === undefined ? undefined : parseApiDocument(value);
  return document && { ...document, path };
}

function toCandidate(path: string, { status, body }: ProbeResponse, source: RequestCandidate['source']) {
  if (status < 200 || status > 299) return undefined;
  const kind = body.kind === 'not_json' ? 'text' : body.kind;
  return { path, status, kind, source, shape: body.kind === 'json' ? describeShape(body.value) : kind } as const;
}

function toRefusal(path: string, { status, headers }: ProbeResponse): ProtectedPath | undefined {
  if (status !== 401 && status !== 403) return undefined;
  const challenge = headers.find(([name]) => name.toLowerCase() === 'www-authenticate')?.[1];
  return { path, status, challenge };
}

/** For people: `object with 4 fields`, `list of 3`. */
export function describeShape(value: Json): string {
  if (isList(value)) return `list of ${value.length}`;
  if (!isObjectValue(value)) return value === null ? 'null' : typeof value === 'object' ? 'number' : typeof value;
  const count = Object.keys(value).length;
  return `object with ${count} ${count === 1 ? 'field' : 'fields'}`;
}

/** JSON with something to check first, then other JSON, then text; within these as listed. */
function rankCandidates(candidates: readonly RequestCandidate[]): RequestCandidate[] {
  const rank = ({ kind, shape }: RequestCandidate): number => {
    if (kind === 'json') return /^(?:object with 0 fields|list of 0)$/.test(shape) ? 1 : 0;
    return kind === 'text' ? 2 : 3;
  };
  return candidates
    .filter(({ path }, index) => candidates.findIndex((other) => other.path === path) === index)
    .sort((a, b) => rank(a) - rank(b));
}
