/** The text of a new scenario from a request, in the canonical form that `vp format` writes. No request is sent. */
import { findLayerByEvidence } from './layers.ts';
import type { Method } from './scenario.ts';

type HeaderLines = readonly (readonly [name: string, value: string])[];

/** `path` begins with `/` and may have a query; path, values of headers and body may have placeholders. */
export type DraftRequest = {
  readonly method: Method;
  readonly path: string;
  /** Besides the request id. */
  readonly headers?: HeaderLines;
  /** JSON, unless `headers` name another type or it is in a fence of its own. */
  readonly body?: string | undefined;
  /** The body is what such a fence holds. */
  readonly fence?: 'form' | 'graphql' | 'multipart' | undefined;
  readonly timeoutS?: number | undefined;
};

/** A request of STEPS or CLEANUP; `bullets` are its checks and captures. */
export type DraftStep = DraftRequest & { readonly name: string; readonly bullets: readonly string[] };

/** `checks` may be empty where nothing was seen; they may also capture. */
export type ScenarioDraft = DraftRequest & {
  readonly id: string;
  readonly name: string;
  /** Behind the name in the title. */
  readonly summary?: string | undefined;
  readonly steps?: readonly DraftStep[];
  readonly cleanup?: readonly DraftStep[];
  readonly tags?: readonly string[];
  readonly checks: readonly string[];
};

const defaultTimeoutS = 30;

export function renderScenario(draft: ScenarioDraft): string {
  const { id, name, summary, tags = [], method, checks, timeoutS = defaultTimeoutS, steps = [] } = draft;
  const layer = findLayerByEvidence(
    false,
    checks.some((check) => check.startsWith('log ')),
  );
  const hasLog = layer !== 'HTTP Ingestion';
  return `${[
    `# Scenario: ${method} ${name}${summary === undefined ? '' : ` - ${summary}`}`,
    '## Metadata',
    [`- ID: ${id}`, `- Layer: ${layer}`, ...(tags.length === 0 ? [] : [`- Tags: ${tags.join(', ')}`])].join('\n'),
    ...(steps.length === 0 ? [] : ['## STEPS', ...steps.flatMap(renderStep)]),
    '## TRIGGER',
    ...renderRequest(draft),
    '## VERIFY',
    hasLog
      ? 'The response is judged directly; the log of the application has lines of this run.'
      : 'Not applicable: the response is judged directly.',
    '## EXPECT',
    '### Runnable',
    ...renderBullets(checks),
    '## TIMEOUT',
    `${timeoutS}s`,
    '## CLEANUP',
    ...renderCleanup(draft),
  ].join('\n\n')}\n`;
}

function renderBullets(bullets: readonly string[]): string[] {
  return bullets.length === 0 ? [] : [bullets.map((bullet) => `- ${bullet}`).join('\n')];
}

function renderStep(step: DraftStep): string[] {
  return [`### ${step.name}`, ...renderRequest(step), ...renderBullets(step.bullets)];
}

function renderCleanup({ method, steps = [], cleanup = [] }: ScenarioDraft): string[] {
  if (cleanup.length > 0) return cleanup.flatMap(renderStep);
  const isRead = [method, ...steps.map((step) => step.method)].every((each) =>
    ['GET', 'HEAD', 'OPTIONS'].includes(each),
  );
  if (!isRead)
    return [
      steps.length === 0
        ? 'Remove what this request created or changed.'
        : 'Remove what these requests created or changed.',
    ];
  return [`Not applicable: ${method} leaves nothing to clean up.`];
}

/** The request line with the header lines, then the body. */
function renderRequest({ method, path, headers = [], body: given, fence }: DraftRequest): string[] {
  const body = given === '' && fence === undefined ? undefined : given?.replace(/\n+$/, '');
  const ownNames = headers.map(([header]) => header.toLowerCase());
  const standard = [
    ...(body === undefined || fence !== undefined ? [] : [['Content-Type', 'application/json'] as const]),
    ['X-Request-Id', '${correlation_id}'] as const,
  ].filter(([header]) => !ownNames.includes(header.toLowerCase()));
  const lines = [...standard, ...headers];
  const head = [
    `${method} \${INGESTION_URL}${path}`,
    ...lines.map(([header, value]) => `${header}: ${value}`.trimEnd()),
  ];
  return [head.join('\n'), ...(body === undefined ? [] : [renderBody(body, lines, fence)])];
}

/** In a fence that is longer than any within the body. */
function renderBody(body: string, headers: HeaderLines, language: DraftRequest['fence']): string {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const longest = Math.max(2, ...Array.from(body.matchAll(/~{3,}/g), ([marks]) => marks.length));
  const fence = '~'.repeat(longest + 1);
  return `${fence}${language ?? (/json/i.test(type) ? 'json' : '')}\n${body}\n${fence}`;
}

const usualStatuses: Partial<Readonly<Record<Method, number>>> = { POST: 201, DELETE: 204 };

/** A draft for the author to complete: a free id of the usual form, and the status that the method usually has. */
export function draftScenario(request: DraftRequest, takenIds: ReadonlySet<string> = new Set()): ScenarioDraft {
  const { method, path } = request;
  return { ...request, ...chooseFreeName(method, path, takenIds), checks: [`status=${usualStatuses[method] ?? 200}`] };
}

/** Of the path, or numbered where that is taken. */
export function chooseFreeName(
  method: string,
  path: string,
  takenIds: ReadonlySet<string>,
): { id: string; name: string } {
  return nameScenario(method, path, takenIds) ?? numberName(method, listNames(path)[0] ?? 'root', takenIds);
}

function numberName(method: string, name: string, takenIds: ReadonlySet<string>): { id: string; name: string } {
  for (let number = 2; ; number += 1) {
    const id = `RT-${method}-${name}-${number}`;
    if (!takenIds.has(id)) return { id, name: `${name}-${number}` };
  }
}

/** Segments that name a version or an interface, and so distinguish nothing. */
const prefixSegment = /^(?:api|v\d+(?:\.\d+)*|-)$/i;
/** Segments that are ids of data. */
const idSegment = /^(?:\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{24,})$/i;
const maxNameLength = 60;

/**
 * `RT-<METHOD>-<name>`: the last segment of the path, with those before it as far as an ID of `takenIds` requires. Undefined
 * where even the whole path is taken.
 */
export function nameScenario(
  method: string,
  path: string,
  takenIds: ReadonlySet<string>,
): { readonly id: string; readonly name: string } | undefined {
  const names = listNames(path).map((name) => ({ id: `RT-${method}-${name}`, name }));
  return names.find(({ id }) => !takenIds.has(id));
}

/** The shortest first. A segment with a placeholder names one thing, whose name is not known. */
export function listNames(path: string): readonly string[] {
  const [plain = ''] = path.split(/[?#]/, 1);
  const segments = plain
    .split('/')
    .filter((segment) => !segment.includes('${'))
    .map(toSlug)
    .filter(Boolean);
  const distinctive = segments.filter((segment) => !prefixSegment.test(segment));
  if (segments.length === 0) return ['root'];
  const last = distinctive.length === 0 ? segments : distinctive;
  const least = idSegment.test(last.at(-1) ?? '') ? Math.min(2, last.length) : 1;
  const short = Array.from({ length: last.length - least + 1 }, (_, index) => last.slice(-(least + index)));
  return [...new Set([...short, segments].map((parts) => parts.join('-').slice(0, maxNameLength)))];
}

function toSlug(segment: string): string {
  const slug = segment.replaceAll(/%[0-9a-f]{2}|[^A-Za-z0-9._-]+/gi, '-').replaceAll(/^[-.]+|[-.]+$/g, '');
  return slug || (segment === '-' ? '-' : '');
}
