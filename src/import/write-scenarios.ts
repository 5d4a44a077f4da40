/**
 * Imported requests → texts of scenarios that the parser accepts, in canonical form. What it refuses is reported and left out.
 * Length: one pass over the requests, whose steps share names, secrets and reports.
 */
import { proposeChecks } from '../judge/prove/propose-checks.ts';
import type { Diagnostic } from '../scenario/diagnostic.ts';
import { embedFiles, removeFiles } from '../scenario/embedded-files.ts';
import { formatScenario } from '../scenario/format.ts';
import {
  chooseFreeName,
  type DraftRequest,
  type DraftStep,
  renderScenario,
  type ScenarioDraft,
} from '../scenario/scenario-draft.ts';
import type { SecretPlaceholders } from '../scenario/secret-placeholders.ts';
import {
  type ImportedChain,
  type ImportedRequest,
  type ImportedSource,
  type ImportedUpload,
  listPlaceholders,
  type ReportUntranslated,
  type UntranslatedItem,
} from './imported.ts';
import { UploadNames } from './prepare-multipart.ts';
import { prepareRequest, splitUrl } from './prepare-request.ts';

/** `label` names the request in the source. */
export type WrittenScenario = {
  readonly id: string;
  readonly text: string;
  readonly label: string;
  /** Checks that the source has itself; others were proposed from what it recorded. */
  readonly ownChecks: readonly string[];
};

export type WrittenSource = {
  readonly scenarios: readonly WrittenScenario[];
  readonly untranslated: readonly UntranslatedItem[];
  /** Names that need a value in `.env`; `isSecret` where the source had a value that was not written. */
  readonly variables: readonly { readonly name: string; readonly isSecret: boolean }[];
  /** Files that the scenarios send; they must be in their folder. */
  readonly uploads: readonly ImportedUpload[];
};

type PrepareRequest = (request: ImportedRequest) => DraftRequest | undefined;

const maxSummaryLength = 120;

export function writeScenarios(
  { chains, untranslated: before }: ImportedSource,
  secrets: SecretPlaceholders,
): WrittenSource {
  const untranslated: UntranslatedItem[] = [...before];
  const report: ReportUntranslated = (source, item, reason) => {
    if (!untranslated.some((each) => each.source === source && each.item === item && each.reason === reason))
      untranslated.push({ source, item, reason });
  };
  const mainOrigin = findMainOrigin(chains);
  const uploads = new UploadNames();
  const prepare = (request: ImportedRequest): DraftRequest | undefined =>
    prepareRequest(request, secrets, uploads, report);
  const taken = new Set<string>();
  const scenarios: WrittenScenario[] = [];
  for (const chain of chains) {
    const stranger = [...chain.steps, chain.trigger].find(({ url }) => isOther(splitUrl(url).origin, mainOrigin));
    if (stranger) {
      const { origin } = splitUrl(stranger.url);
      report(
        chain.trigger.label,
        'the request',
        `it needs ${origin}, and the other scenarios go to ${mainOrigin}: import it for a target of its own`,
      );
      continue;
    }
    const written = writeChain(chain, taken, secrets, prepare, report);
    if (written) scenarios.push(written);
  }
  const concealed = scenarios.flatMap((scenario) => concealScenario(scenario, secrets, report) ?? []);
  const list = untranslated.map((each) => ({
    ...each,
    item: secrets.concealText(each.item),
    reason: secrets.concealText(each.reason),
  }));
  const variables = listVariables(concealed, secrets);
  return { scenarios: concealed, untranslated: list, variables, uploads: listUsed(uploads.all, concealed) };
}

/** Not those of requests that were left out. */
function listUsed(uploads: readonly ImportedUpload[], scenarios: readonly WrittenScenario[]) {
  const paths = new Set(
    scenarios.flatMap(({ text }) => Array.from(text.matchAll(/ = @([^;\n]+)/g), ([, path]) => path)),
  );
  return uploads.filter(({ name }) => paths.has(name));
}

/** A secret that some request names may stand elsewhere too, where nothing names it; a check cannot have one. */
function concealScenario(
  scenario: WrittenScenario,
  secrets: SecretPlaceholders,
  report: ReportUntranslated,
): WrittenScenario | undefined {
  const text = secrets.concealText(scenario.text);
  if (text === scenario.text) return scenario;
  const valid = makeValid(text, scenario.label, report);
  return valid === undefined ? undefined : { ...scenario, label: secrets.concealText(scenario.label), text: valid };
}

function isOther(origin: string, main: string): boolean {
  return origin !== '' && main !== '' && origin.toLowerCase() !== main.toLowerCase();
}

/** Scheme and host of most requests. */
function findMainOrigin(chains: readonly ImportedChain[]): string {
  const counts = new Map<string, number>();
  for (const { trigger } of chains) {
    const { origin } = splitUrl(trigger.url);
    if (origin !== '') counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
}

function writeChain(
  { name, summary, tags, steps, trigger, cleanup }: ImportedChain,
  taken: Set<string>,
  secrets: SecretPlaceholders,
  prepare: PrepareRequest,
  report: ReportUntranslated,
): WrittenScenario | undefined {
  const request = prepare(trigger);
  const stepNames = new Set<string>();
  const draftSteps = steps.map((step) => toDraftStep(step, stepNames, prepare));
  const draftCleanup = cleanup.map((step) => toDraftStep(step, stepNames, prepare));
  if (!request || draftSteps.includes(undefined)) return undefined;
  const chosen = chooseName(request.method, request.path, name, taken);
  const line = summary?.replaceAll(/\s+/g, ' ').trim().slice(0, maxSummaryLength).replace(/#+$/, '').trim();
  const draft: ScenarioDraft = {
    ...request,
    ...chosen,
    summary: line === '' ? undefined : line,
    tags: tags.length === 0 ? ['http'] : tags,
    steps: draftSteps.filter((step) => step !== undefined),
    cleanup: draftCleanup.filter((step) => step !== undefined),
    checks: [...listChecks(trigger, secrets), ...trigger.captures.map(formatCapture)],
  };
  const text = makeValid(renderScenario(draft), trigger.label, report);
  if (text === undefined) return undefined;
  taken.add(chosen.id);
  return { id: chosen.id, text, label: trigger.label, ownChecks: trigger.checks };
}

function formatCapture({ name, source }: { readonly name: string; readonly source: string }): string {
  return `capture ${name} = ${source}`;
}

/** Those of the source, and for what it recorded besides: the status, and fields that no check of the source names. */
function listChecks({ checks, responses }: ImportedRequest, secrets: SecretPlaceholders): readonly string[] {
  const proposed = responses.length === 0 ? [] : proposeChecks(responses, secrets.values).checks;
  const all = mergeChecks(checks, proposed);
  return all.some((check) => check.startsWith('status=')) ? all : ['status=2xx', ...all];
}

/**
 * `own`, then those of `proposed` that look at something else. A check that a field is there gives way to one that says what it is.
 * The status comes first.
 */
export function mergeChecks(own: readonly string[], proposed: readonly string[]): readonly string[] {
  const tested = new Set(proposed.filter((check) => !isPresence(check)).map(getSubject));
  const stronger = own.filter((check) => !(isPresence(check) && tested.has(getSubject(check))));
  const subjects = new Set(stronger.map(getSubject));
  const all = [...new Set([...stronger, ...proposed.filter((check) => !subjects.has(getSubject(check)))])];
  const isStatus = (check: string): boolean => check.startsWith('status=');
  return [...all.filter(isStatus).slice(0, 1), ...all.filter((check) => !isStatus(check))];
}

function isPresence(check: string): boolean {
  return /^body has \S+$/.test(check);
}

/** What a check looks at: `status`, or the field of the body. */
function getSubject(check: string): string {
  if (check.startsWith('status=')) return 'status';
  return /^body has (\S+)/.exec(check)?.[1] ?? check;
}

function toDraftStep(request: ImportedRequest, names: Set<string>, prepare: PrepareRequest): DraftStep | undefined {
  const prepared = prepare(request);
  if (!prepared) return undefined;
  const line =
    request.label
      .replaceAll(/[\s#]+/g, ' ')
      .trim()
      .slice(0, 80) || prepared.method;
  let name = line;
  for (let number = 2; names.has(name.toLowerCase()); number += 1) name = `${line} ${number}`;
  names.add(name.toLowerCase());
  const [recorded] = request.responses;
  const seen =
    recorded && !request.checks.some((check) => check.startsWith('status=')) ? [`status=${recorded.status}`] : [];
  return { ...prepared, name, bullets: [...seen, ...request.checks, ...request.captures.map(formatCapture)] };
}

function toSlug(text: string): string {
  return text
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 60);
}

function chooseName(method: string, path: string, name: string | undefined, taken: ReadonlySet<string>) {
  const slug = toSlug(name ?? '');
  if (slug === '') return chooseFreeName(method, path, taken);
  for (let number = 1; ; number += 1) {
    const each = number === 1 ? slug : `${slug}-${number}`;
    if (!taken.has(`RT-${method}-${each}`)) return { id: `RT-${method}-${each}`, name: each };
  }
}

const maxRepairs = 60;

/** Formatted; undefined where what is refused is not a check or a header line. */
function makeValid(text: string, label: string, report: ReportUntranslated): string | undefined {
  let current = text;
  for (let repair = 0; repair < maxRepairs; repair += 1) {
    const errors: Diagnostic[] = [];
    // The files that it sends are not read here.
    const complete = embedFiles(
      current,
      () => undefined,
      () => ({ base64: '' }),
    );
    const formatted = formatScenario(complete, { variables: 'any' }, (diagnostic) => {
      // A placeholder that no request captures would be compared as it stands.
      if (diagnostic.severity === 'error' || diagnostic.code === 'SCENARIO_CHECK_PLACEHOLDER') errors.push(diagnostic);
    });
    if (formatted !== undefined && errors.length === 0) return removeFiles(formatted);
    const lines = current.split('\n');
    const bullets = errors.filter(({ range }) => lines[range.start.line - 1]?.startsWith('- '));
    if (errors.some(({ code }) => code === 'SCENARIO_RUNNABLE_EMPTY')) {
      current = current.replace('### Runnable\n', '### Runnable\n\n- status=2xx\n');
      continue;
    }
    const [first] = errors;
    if (bullets.length === 0 || errors.length > bullets.length) {
      report(label, 'the request', first ? `${first.message}: ${first.cure}` : 'the scenario is invalid');
      return undefined;
    }
    const removed = new Set(bullets.map(({ range }) => range.start.line - 1));
    for (const { message, cure, range } of bullets)
      report(label, lines[range.start.line - 1]?.slice(2, 200) ?? '', `${message}: ${cure}`);
    current = lines.filter((_, index) => !removed.has(index)).join('\n');
  }
  return undefined;
}

function listVariables(scenarios: readonly WrittenScenario[], secrets: SecretPlaceholders): WrittenSource['variables'] {
  const names = new Set<string>();
  for (const { text } of scenarios) {
    const captured = new Set(Array.from(text.matchAll(/^- capture (\w+) =/gm), ([, name = '']) => name));
    for (const name of listPlaceholders([text])) if (!captured.has(name)) names.add(name);
  }
  for (const name of ['INGESTION_URL', 'correlation_id']) names.delete(name);
  const isSecret = (name: string): boolean => secrets.names.includes(name);
  return [...names].sort().map((name) => ({ name, isSecret: isSecret(name) }));
}
