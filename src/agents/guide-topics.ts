/** The guide, topic by topic. */
import { scenarioGuide } from '../scenario/guide.ts';

/** A part of the guide under a heading of its own. */
export type Topic = { readonly name: string; readonly text: string };

const work = `# How to work

1. author__get_executor_status: is it healthy, which placeholders are there.
2. author__probe_target: see what the target really answers.
3. Write the scenario; author__validate_scenario until it is valid.
4. author__request_run with \`text\`, then author__get_run_status: read failed checks, log lines and cures.
5. A failed run: mend the application when it is wrong, the scenario when that is. Never loosen a check to make it pass.
6. author__request_run with prove true: checks that never fail are worth nothing; add those that it proposes.
7. author__write_scenario stores it in the catalogue; \`vp scenarios pull\` writes it into the scenarios folder.`;

/** Topics in their order: how to work, then the headings of the guide of the language. */
export function guideTopics(): readonly Topic[] {
  const [lead, ...rest] = sectionsOf(scenarioGuide());
  const example = lead === undefined ? [] : [{ name: 'example', text: lead.text }];
  return [{ name: 'work', text: work }, ...example, ...rest];
}

/** Split at headings of the second level that stand outside of fences. */
function sectionsOf(markdown: string): Topic[] {
  const found: { name: string; lines: string[] }[] = [{ name: 'lead', lines: [] }];
  let fence: string | undefined;
  for (const line of markdown.split('\n')) {
    const mark = /^(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark !== undefined && line.trim() === mark && mark.startsWith(fence)) fence = undefined;
    const heading = fence === undefined ? /^## (.+)$/.exec(line)?.[1] : undefined;
    if (heading !== undefined) found.push({ name: topicName(heading), lines: [] });
    found.at(-1)?.lines.push(line);
  }
  return found.map(({ name, lines }) => ({ name, text: lines.join('\n').trim() }));
}

/** `The request` → `request`. */
function topicName(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/^(the|a) /, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
