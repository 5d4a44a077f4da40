/** Writes STEPS and CLEANUP: requests and their bullets in canonical form, prose unchanged. */
import type { Heading } from './blocks.ts';
import { writeBullets } from './format-lines.ts';
import { formatTrigger } from './format-trigger.ts';
import type { Section } from './outline.ts';
import { collectProse } from './prose.ts';
import { isCleanupStep, type StepGroup, splitAtHeadings, splitStep } from './steps.ts';

/** Marks at the end of a name would be parsed as closing marks of the heading. */
function writeHeading({ name }: Heading): string {
  return name.text.endsWith('#') ? `### ${name.text} #` : `### ${name.text}`;
}

function writeStep(section: Section, group: StepGroup): string {
  const { request, list } = splitStep(group);
  const parts = [
    writeHeading(group.heading),
    formatTrigger({ ...section, heading: group.heading, blocks: request }),
    writeBullets(list),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** The section of a scenario that was read without errors, without its heading. */
export function writeSteps(section: Section): string {
  const { lead, groups } = splitAtHeadings(section.blocks);
  const isStep = (group: StepGroup): boolean => !section.definition.prose || isCleanupStep(group);
  const firstStep = groups.findIndex(isStep);
  if (firstStep === -1) return collectProse(section.blocks);
  const written = groups.map((group) =>
    isStep(group) ? writeStep(section, group) : collectProse([group.heading, ...group.blocks]),
  );
  return [collectProse(lead), ...written].filter((part) => part !== '').join('\n\n');
}
