/** The guide of the scenario language, split into topics. */
import { renderScenarioGuide } from '../../scenario/guide.ts';

export type GuideTopic = { readonly name: string; readonly text: string };

const workTopic = `# How to work

1. author__get_executor_status: check that it is healthy and which placeholders exist.
2. author__probe_target: see the target's actual response.
3. Write the scenario; author__validate_scenario until it is valid.
4. author__request_run with \`text\`, then author__get_run_status: read failed checks, log lines and fixes.
5. After a failed run, fix the application if it is wrong, otherwise the scenario. Never loosen a check to make it pass.
6. author__request_run with prove true: checks that never fail are worthless; add the checks that it suggests.
7. author__write_scenario stores it in the catalogue; \`vp scenarios pull\` writes it into the scenarios folder.`;

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
