/** `use: <file or ID>` under STEPS: the steps of another scenario come before its own, and its cleanup after its own. */
import { type EmbeddedFiles, maxUseDepth, readReference, readUsedSections, resolveName } from './embedded-files.ts';
import type { Section } from './outline.ts';
import { isCleanupStep, type StepGroup, splitAtHeadings } from './steps.ts';
import type { TemplateContext } from './template.ts';

export type UsedGroups = { readonly steps: readonly StepGroup[]; readonly cleanup: readonly StepGroup[] };

type UseReader = { readonly files: EmbeddedFiles; readonly context: TemplateContext };

function getSection(sections: readonly Section[], name: 'STEPS' | 'CLEANUP'): Section | undefined {
  return sections.find(({ definition }) => definition.name === name);
}

/** `chain` are the names of the files that use this one, the last one included; empty for the scenario itself. */
function readUsed(section: Section, reader: UseReader, chain: readonly string[]): UsedGroups {
  const { context, files } = reader;
  const steps: StepGroup[] = [];
  const cleanup: StepGroup[] = [];
  for (const block of splitAtHeadings(section.blocks).lead) {
    const reference = readReference(block, 'use');
    if (!reference) continue;
    const name = resolveName(reference.name, chain.at(-1) ?? '');
    const { start, end } = reference;
    const file = files.get(name);
    if (chain.includes(name)) context.report('SCENARIO_USE_CYCLE', start, end, { name });
    else if (chain.length >= maxUseDepth) context.report('SCENARIO_USE_DEPTH', start, end, { max: maxUseDepth });
    else if (!file) context.report('SCENARIO_FILE_ABSENT', start, end, { name: reference.name });
    else {
      const sections = readUsedSections(file, context.source);
      const usedSteps = getSection(sections, 'STEPS');
      if (!usedSteps) context.report('SCENARIO_USE_EMPTY', start, end, { name: reference.name });
      const inner = usedSteps && readUsed(usedSteps, reader, [...chain, name]);
      const usedCleanup = getSection(sections, 'CLEANUP');
      const own = usedCleanup ? splitAtHeadings(usedCleanup.blocks).groups.filter(isCleanupStep) : [];
      steps.push(...(inner?.steps ?? []), ...(usedSteps ? splitAtHeadings(usedSteps.blocks).groups : []));
      cleanup.unshift(...own, ...(inner?.cleanup ?? []));
    }
  }
  return { steps, cleanup };
}

/** Steps in the order of sending; requests of CLEANUP so that what was made last is removed first. */
export function readUsedGroups(
  section: Section | undefined,
  files: EmbeddedFiles,
  context: TemplateContext,
): UsedGroups {
  return section ? readUsed(section, { files, context }, []) : { steps: [], cleanup: [] };
}
