/** The language explained, made from the tables that the parser itself uses. */
import type { CheckKind } from '../check/kind.ts';
import { type Check, kinds } from '../check/kinds.ts';
import { evidenceText } from './guide-evidence.ts';
import { code, table } from './guide-table.ts';
import { listed } from './listed.ts';
import { metadataKeys } from './metadata.ts';
import { refusedHeaders } from './refused-headers.ts';
import { methods } from './scenario.ts';
import { headingOf, sections } from './sections.ts';
import { builtInPlaceholders } from './template.ts';
import { maxTextLength } from './text-limits.ts';

const checkKinds: readonly CheckKind<Check>[] = kinds;

/** A whole scenario, section by section as the table has them. */
export function exampleScenario(): string {
  const parts = sections.flatMap((section) =>
    section.name === 'EXPECT' ? [headingOf(section)] : [headingOf(section), section.example],
  );
  return `${['# Scenario: GET document', ...parts].join('\n\n')}\n`;
}

function sectionsText(): string {
  const rows = sections.map((section) => [code(headingOf(section)), section.required ? 'yes' : 'no', section.meaning]);
  return table(['Section', 'Required', 'Holds'], rows);
}

function metadataText(): string {
  const rows = metadataKeys.map((key) => [code(key.name), key.required ? 'yes' : 'no', key.meaning, code(key.example)]);
  return table(['Metadata', 'Required', 'Meaning', 'Example'], rows);
}

function triggerText(): string {
  const rows = builtInPlaceholders.map(({ name, meaning }) => [code(`\${${name}}`), meaning]);
  const own = [code('${NAME}'), 'a line of `.env` that the config lists under `scenarios.variables`'];
  return [
    `Methods: ${listed(methods)}. The path includes the API prefix.`,
    table(['Placeholder', 'Stands for'], [...rows, own]),
    'Placeholders are replaced in the path, in header values and in the body, as they stand; never in checks. To send the ' +
      'text itself in a JSON body, write `\\u0024{`.',
    '`Authorization` comes from the config; a line of the scenario’s own replaces it, and `Authorization:` with nothing ' +
      'behind it sends none.',
    `Not to be set: ${listed([...refusedHeaders.keys()])}.`,
    'A body stands behind a blank line or, better, in a fence of its own:',
    '```\nPOST ${INGESTION_URL}/api/v2/folder\nContent-Type: application/json\nX-Request-Id: ${correlation_id}\n\n' +
      '~~~json\n{ "name": "contracts" }\n~~~\n```',
  ].join('\n\n');
}

function checksText(): string {
  const rows = checkKinds.map(({ form, meaning, example, looksAt, counted }) => [
    code(form),
    meaning,
    code(example),
    looksAt,
    counted ? 'yes' : looksAt === 'response' ? 'no' : 'apart',
  ]);
  return [
    table(['Check', 'Holds when', 'Example', 'Looks at', 'Counted'], rows),
    'A field is a path into the JSON body: `count`, `database.status`, `data[0].id`, `["a key"]`. A key of the body that ' +
      'itself contains a dot is found first. Everything behind the keyword is taken as it stands, without quotation marks.',
    'In the layer `HTTP Ingestion` numbers are not compared with `>`, `>=`, `<`, `<=`: match the digits, `^[0-9]+$` for 0 or ' +
      'more, `^[1-9][0-9]*$` for 1 or more.',
  ].join('\n\n');
}

/** The guide, in Markdown. */
export function scenarioGuide(): string {
  return `${[
    '# Writing scenarios',
    `A scenario is one Markdown file of at most ${maxTextLength} characters:`,
    `\`\`\`\`markdown\n${exampleScenario()}\`\`\`\``,
    '## Sections',
    sectionsText(),
    metadataText(),
    '## The request',
    triggerText(),
    '## Checks',
    checksText(),
    evidenceText(),
  ].join('\n\n')}\n`;
}
