/** The guide of the scenario language, split into topics. */

import { checkKinds } from '../../check/kinds.ts';
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

/** The topic that repeats the others in few words; it is no part of the whole guide. */
export const briefTopicName = 'brief';

/** All forms without their meaning: a tenth of the guide, which is enough to write a first scenario of each kind. */
export function renderBriefTopic(): string {
  const forms = checkKinds.map(({ form }) => `\`${form}\``).join(', ');
  return `# In brief

Checks: ${forms}. \`[<test>]\`: \`equals x\`, \`containing x\`, \`matching <RE2>\`, \`> 1\`, \`within 1m of now\`, \`absent\` (headers). \`<field>\`: \`a.b\`, \`data[0].id\`. Expressions: \`+ - * /\`, brackets, \`sum count min max\` over lists, \`ceil floor round\`. Numbers are compared with \`>\` only in a layer with \`+ Log\` or \`+ Database\`.

Steps, before \`## TRIGGER\`: \`## STEPS\`, then \`### name\`, a request, an empty line, bullets. \`- capture id = body.id\` (or \`header ETag\`, \`cookie sid\`, \`status\`, \`log field\`, \`db column\`): afterwards \`\${id}\` stands in requests and as operand of checks. \`- concurrent 8\` in a step sends it eight times at once: check what they left in the next request; a missing lock is found so. \`- until <check> within 20s\` repeats a request. Requests below \`## CLEANUP\` are sent after the verdict. A step without a check of the status fails from 400 on.

\`## CASES\`: a table whose columns are placeholders; each row is a case. \`Authorization:\` alone sends no token. Files, such as schemas (\`additionalProperties: false\` finds a field too many): \`## FILES\`, \`### order.schema.json\`, a fence; then \`body matches schema order.schema.json\`. Pages: compare \`?page=2&perPage=2\` with captures of the whole list. Queries for each row: \`log lines<=n\`, where \`select: ["log.lines"]\` of a probe shows n for one row.`;
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
