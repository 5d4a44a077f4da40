/** Parses a text into a `Scenario`. Collects every problem in one pass and does not throw. */
import type { CheckKind } from '../check/check-kind.ts';
import { readBlocks } from './blocks.ts';
import { withImpliedChecks } from './body-encoding.ts';
import { checkCases } from './case-checks.ts';
import { readCases } from './cases.ts';
import { createDiagnosticCollector, type DiagnosticCollector } from './collector.ts';
import type { OnDiagnostic } from './diagnostic.ts';
import { readFiles } from './embedded-files.ts';
import { assignEvidenceChecks, hasEvidenceCheck } from './evidence-checks.ts';
import { readMetadata } from './metadata.ts';
import { type Outline, readOutline, type Section } from './outline.ts';
import { collectProse } from './prose.ts';
import { readQueries } from './queries.ts';
import { checkMessages } from './receive.ts';
import { readRunnable } from './request-checks.ts';
import type { ResponseChecks, Scenario, ScenarioCheck } from './scenario.ts';
import type { SectionName } from './sections.ts';
import { readSource, type SourceText } from './source.ts';
import { readCleanupGroups, readStepGroups, readSteps } from './steps.ts';
import type { Placeholders } from './template.ts';
import { checkTextLimits, maxCompleteLength } from './text-limits.ts';
import { readTimeoutMs } from './timeout.ts';
import { readTitle } from './title.ts';
import { readTrigger } from './trigger.ts';
import { getTriggerKeyword } from './trigger-keyword.ts';
import { readUsedGroups } from './use.ts';

/** The placeholders that the scenario may use besides those that every scenario has. */
export type ParseOptions = Placeholders & {
  /** The kinds of checks; those of check/kinds.ts by default. */
  readonly checkKinds?: readonly CheckKind[];
};

function sectionIn(outline: Outline, name: SectionName): Section | undefined {
  return outline.sections.find((section) => section.definition.name === name);
}

/** Only Runnable is executed: other text under EXPECT would be a check that the author wrongly relies on. */
function refuseTextUnderExpect(section: Section | undefined, { report }: DiagnosticCollector): void {
  for (const { kind, lines } of section?.blocks ?? []) {
    if (kind === 'text' || kind === 'fence') report('SCENARIO_TEXT_MISPLACED', lines[0].start, lines[0].end, {});
  }
}

/** `checks` are those of the steps in their order, then those under Runnable. */
function distributeChecks(
  steps: Scenario['steps'],
  checks: readonly ScenarioCheck[],
): Pick<Scenario, 'steps' | 'checks'> {
  let from = 0;
  const assigned = steps.map((step) => {
    const own = checks.slice(from, from + step.checks.length);
    from += step.checks.length;
    return { ...step, checks: own };
  });
  return { steps: assigned, checks: checks.slice(from) };
}

const noChecks: ResponseChecks = { checks: [], captures: [], until: undefined };

function readParts(
  source: SourceText,
  outline: Outline,
  options: ParseOptions,
  collector: DiagnosticCollector,
): Scenario | undefined {
  const { report } = collector;
  const [metadataSection, casesSection, stepsSection, triggerSection, runnable, cleanupSection] = [
    sectionIn(outline, 'Metadata'),
    sectionIn(outline, 'CASES'),
    sectionIn(outline, 'STEPS'),
    sectionIn(outline, 'TRIGGER'),
    sectionIn(outline, 'Runnable'),
    sectionIn(outline, 'CLEANUP'),
  ];
  const metadata = metadataSection && readMetadata(metadataSection, report);
  const { layer: layerName } = metadata ?? {};
  const files = readFiles(sectionIn(outline, 'FILES'));
  const { columns, cases } = readCases(casesSection, files, { source, placeholders: options, report });
  const captureNames = [...columns];
  const stepOptions = { layer: layerName, kinds: options.checkKinds, stepNames: new Map(), captures: captureNames };
  const ownContext = { source, placeholders: { ...options, columns }, report, files };
  const used = readUsedGroups(stepsSection, files, ownContext);
  const stepGroups = stepsSection ? [...used.steps, ...readStepGroups(stepsSection, ownContext)] : [];
  const steps = readSteps('STEPS', stepGroups, ownContext, stepOptions);
  const context = { ...ownContext, placeholders: { ...options, columns, captures: [...captureNames] } };
  const trigger = triggerSection && readTrigger(triggerSection, context);
  const title = readTitle(outline.title, trigger && getTriggerKeyword(trigger), report);
  refuseTextUnderExpect(sectionIn(outline, 'EXPECT'), collector);
  const checkScope = {
    layer: layerName,
    kinds: options.checkKinds,
    method: trigger?.method,
    path: trigger?.path,
    captureNames,
  };
  const { checks, captures, until, receive } = runnable ? readRunnable(runnable, context, checkScope) : noChecks;
  if (trigger) checkMessages(trigger, receive, report);
  const verifySection = sectionIn(outline, 'VERIFY');
  const allChecks = [
    ...steps.flatMap((step) => step.checks),
    ...withImpliedChecks(checks, trigger, options.checkKinds),
  ];
  const queries = readQueries(verifySection, metadata?.layer, hasEvidenceCheck(allChecks, 'log'), context);
  const timeoutMs = readTimeoutMs(sectionIn(outline, 'TIMEOUT'), report);
  const ownCleanup = cleanupSection ? readCleanupGroups(cleanupSection, context) : [];
  const cleanupGroups = [...ownCleanup, ...used.cleanup];
  const cleanupSteps = readSteps('CLEANUP', cleanupGroups, ownContext, stepOptions);
  checkCases(cases, [...allChecks, ...cleanupSteps.flatMap((step) => step.checks)], options.checkKinds, report);
  const { id, layer, tags = [], owner, links = [] } = metadata ?? {};
  const complete = checks.length === runnable?.blocks.filter(({ kind }) => kind === 'text').length;
  const assigned = layer === undefined ? allChecks : assignEvidenceChecks(allChecks, layer, queries, complete, report);
  if (!title || !id || !layer || !trigger || timeoutMs === undefined) return undefined;
  const verify = collectProse(verifySection?.blocks ?? []);
  const cleanup = collectProse(cleanupSection?.blocks ?? []);
  return {
    ...{ title, id, layer, tags, trigger, captures, until, receive, timeoutMs, cleanupSteps, cases },
    ...(owner === undefined ? {} : { owner }),
    ...(links.length === 0 ? {} : { links }),
    ...distributeChecks(steps, assigned),
    queries: queries.queries,
    verify,
    cleanup,
    source: source.text,
  };
}

/**
 * Parses a scenario. `onDiagnostic` receives errors and warnings in the order of their positions, at most 120 and then one
 * with the number of the remaining ones; the result is undefined exactly when one of them is an error.
 */
export function parseScenario(text: string, options: ParseOptions, onDiagnostic: OnDiagnostic): Scenario | undefined {
  const source = readSource(text.length > maxCompleteLength ? '' : text);
  const collector = createDiagnosticCollector(source);
  let scenario: Scenario | undefined;
  if (checkTextLimits(text, collector.report)) {
    const outline = readOutline(readBlocks(source, collector.report), collector.report);
    scenario = readParts(source, outline, options, collector);
  }
  return collector.flush(onDiagnostic) ? scenario : undefined;
}
