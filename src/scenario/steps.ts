/**
 * Reads the requests of STEPS and CLEANUP. Each begins with `### <name>`; then comes a request as under TRIGGER, then, from the
 * first bullet on, its checks and captures. CLEANUP is prose, as it always was, except below a heading whose text holds a
 * request.
 */

import type { CheckKind } from '../check/check-kind.ts';
import type { Block, Heading } from './blocks.ts';
import { withImpliedChecks } from './body-encoding.ts';
import { parseBullet } from './bullet.ts';
import { readReference } from './embedded-files.ts';
import type { Layer } from './layers.ts';
import type { Section } from './outline.ts';
import { readResponseChecks } from './request-checks.ts';
import { looksLikeRequest } from './request-line.ts';
import type { Scenario, Step, Trigger } from './scenario.ts';
import { findSection, type SectionDefinition } from './sections.ts';
import { toRange } from './source.ts';
import type { TemplateContext } from './template.ts';
import { readTrigger } from './trigger.ts';

/** In STEPS, and in CLEANUP. */
export const maxSteps = 30;

/** True for a scenario of several requests. */
export function hasSteps({ steps, cleanupSteps }: Pick<Scenario, 'steps' | 'cleanupSteps'>): boolean {
  return steps.length + cleanupSteps.length > 0;
}

/** True where an executor that does not know steps, captures and `until` would send something else, or nothing. */
export function hasRequestFeatures(scenario: Scenario): boolean {
  return hasSteps(scenario) || scenario.captures.length > 0 || scenario.until !== undefined;
}

/** Of all requests, in the order of sending. */
export function listTriggers({ steps, trigger, cleanupSteps }: Scenario): readonly Trigger[] {
  return [...steps.map((step) => step.trigger), trigger, ...cleanupSteps.map((step) => step.trigger)];
}

/** The blocks of a section up to its first heading, and those below each heading. */
export type StepGroups = { readonly lead: readonly Block[]; readonly groups: readonly StepGroup[] };

export type StepGroup = { readonly heading: Heading; readonly blocks: readonly Block[] };

export function splitAtHeadings(blocks: readonly Block[]): StepGroups {
  const lead: Block[] = [];
  const groups: { heading: Heading; blocks: Block[] }[] = [];
  for (const block of blocks) {
    const current = groups.at(-1);
    if (block.kind === 'heading') groups.push({ heading: block, blocks: [] });
    else (current?.blocks ?? lead).push(block);
  }
  return { lead, groups };
}

/** The request, and the bullets after it. A bullet in a fence belongs to the body. */
export function splitStep({ blocks }: StepGroup): {
  readonly request: readonly Block[];
  readonly list: readonly Block[];
} {
  const first = blocks.findIndex(({ kind, lines: [line] }) => kind === 'text' && parseBullet(line) !== undefined);
  return first === -1 ? { request: blocks, list: [] } : { request: blocks.slice(0, first), list: blocks.slice(first) };
}

function mentionsRequest({ lines }: Block): boolean {
  return lines.some(({ text }) => text.includes('${INGESTION_URL}') || looksLikeRequest(text.trim()));
}

/** True for a heading of CLEANUP whose text holds a request; all others are prose. */
export function isCleanupStep({ blocks }: StepGroup): boolean {
  return blocks.some((block) => (block.kind === 'text' || block.kind === 'fence') && mentionsRequest(block));
}

export type StepOptions = {
  readonly layer: Layer | undefined;
  readonly kinds: readonly CheckKind[] | undefined;
  /** Names used before, of steps and of captures; names are added. */
  readonly stepNames: Map<string, number>;
  readonly captures: string[];
};

function reportName(
  { name, lines: [line], depth }: Heading,
  used: Map<string, number>,
  context: TemplateContext,
): void {
  const key = name.text.toLowerCase();
  const earlier = used.get(key);
  if (depth !== 3 || name.text === '' || name.text.length > 100) {
    context.report('SCENARIO_STEP_HEADING', line.start, line.end, {});
  } else if (earlier !== undefined) {
    context.report('SCENARIO_STEP_DOUBLED', line.start, line.end, { name: name.text, line: earlier });
  }
  used.set(key, earlier ?? line.number);
}

function readStep(
  group: StepGroup,
  definition: SectionDefinition,
  context: TemplateContext,
  options: StepOptions,
): Step | undefined {
  const { heading } = group;
  const [line] = heading.lines;
  reportName(heading, options.stepNames, context);
  const { request, list } = splitStep(group);
  if (!request.some(({ kind }) => kind === 'text' || kind === 'fence')) {
    context.report('SCENARIO_STEP_EMPTY', line.start, line.end, { name: heading.name.text });
    return undefined;
  }
  const known = { ...context, placeholders: { ...context.placeholders, captures: [...options.captures] } };
  const trigger = readTrigger({ definition, heading, blocks: request }, known, { isStep: true });
  const { layer, kinds } = options;
  const part = definition.name === 'CLEANUP' ? ('cleanup' as const) : ('step' as const);
  const scope = {
    layer,
    kinds,
    method: trigger?.method,
    path: trigger?.path,
    captureNames: options.captures,
    part,
  };
  const responseChecks = readResponseChecks(list, line, known, scope);
  const name = heading.name.text;
  const checks = withImpliedChecks(responseChecks.checks, trigger, kinds);
  return trigger && { name, trigger, ...responseChecks, checks, range: toRange(context.source, line.start, line.end) };
}

/** Reads every step; those that cannot be sent are reported and omitted. */
export function readSteps(
  name: 'STEPS' | 'CLEANUP',
  groups: readonly StepGroup[],
  context: TemplateContext,
  options: StepOptions,
): readonly Step[] {
  const definition = findSection(name);
  const line = groups[maxSteps]?.heading.lines[0];
  if (line) context.report('SCENARIO_STEPS_TOO_MANY', line.start, line.end, { count: groups.length, max: maxSteps });
  return groups
    .slice(0, maxSteps)
    .flatMap((group) => (definition ? readStep(group, definition, context, options) : undefined))
    .filter((step) => step !== undefined);
}

/** The groups of `## STEPS`. Reports text outside of them, and a section without any. */
export function readStepGroups(section: Section, { report }: TemplateContext): readonly StepGroup[] {
  const { lead, groups } = splitAtHeadings(section.blocks);
  const [line] = section.heading.lines;
  const others = lead.filter((block) => readReference(block, 'use') === undefined);
  for (const { kind, lines } of others)
    if (kind === 'text' || kind === 'fence') report('SCENARIO_STEP_TEXT', lines[0].start, lines[0].end, {});
  if (groups.length === 0 && others.length === lead.length) report('SCENARIO_STEPS_EMPTY', line.start, line.end, {});
  return groups;
}

/** The groups of `## CLEANUP` that are requests. A request outside of them is reported: it is not sent. */
export function readCleanupGroups(section: Section, { report }: TemplateContext): readonly StepGroup[] {
  const { lead, groups } = splitAtHeadings(section.blocks);
  const unsent = lead.find((block) => block.kind === 'text' && looksLikeRequest(block.lines[0].text.trim()));
  if (unsent) report('SCENARIO_CLEANUP_NOT_SENT', unsent.lines[0].start, unsent.lines[0].end, {});
  return groups.filter(isCleanupStep);
}
