/** The guide of the scenario language, split into topics. */
import { formatWorkSteps } from '../../contract/agents/work-steps.ts';
import { renderScenarioGuide } from '../../scenario/guide.ts';

export type GuideTopic = { readonly name: string; readonly text: string };

const workTopic = `# How to work\n\n${formatWorkSteps('test')}`;

/** Topics in order: how to work, then the headings of the language guide. */
export function listGuideTopics(): readonly GuideTopic[] {
  const [lead, ...rest] = splitSections(renderScenarioGuide());
  const example = lead === undefined ? [] : [{ name: 'example', text: lead.text }];
  return [{ name: 'work', text: workTopic }, ...example, ...rest];
}

/** Splits at second-level headings outside code fences. */
function splitSections(markdown: string): GuideTopic[] {
  const sections: { name: string; lines: string[] }[] = [{ name: 'lead', lines: [] }];
  let fence: string | undefined;
  for (const line of markdown.split('\n')) {
    const fenceMark = /^(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) fence = fenceMark;
    else if (fenceMark !== undefined && line.trim() === fenceMark && fenceMark.startsWith(fence)) fence = undefined;
    const heading = fence === undefined ? /^## (.+)$/.exec(line)?.[1] : undefined;
    if (heading !== undefined) sections.push({ name: toTopicName(heading), lines: [] });
    sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ name, lines }) => ({ name, text: lines.join('\n').trim() }));
}

/** `The request` → `request`. */
function toTopicName(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/^(the|a) /, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
