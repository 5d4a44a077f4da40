/** The guide to the language, generated from the tables of the parser. */
import type { CheckKind } from '../check/check-kind.ts';
import { valueTests } from '../check/forms/value-test.ts';
import { checkKinds } from '../check/kinds.ts';
import { formatList } from './format-list.ts';
import { renderCasesGuide } from './guide-cases.ts';
import { renderEvidenceGuide } from './guide-evidence.ts';
import { renderStepsGuide, renderStreamsGuide } from './guide-steps.ts';
import { formatCode, renderTable } from './guide-table.ts';
import { metadataKeys } from './metadata.ts';
import { refusedHeaders } from './refused-headers.ts';
import { httpMethods } from './scenario.ts';
import { formatHeading, sectionDefinitions } from './sections.ts';
import { builtInPlaceholders } from './template.ts';
import { maxCompleteLength, maxTextLength } from './text-limits.ts';
import { maxUploadBytes } from './uploads.ts';

/** A complete scenario with one request and the sections in the order of the table. */
export function renderExampleScenario(): string {
  const usual = sectionDefinitions.filter(({ name }) => name !== 'STEPS' && name !== 'CASES' && name !== 'FILES');
  const parts = usual.flatMap((section) =>
    section.name === 'EXPECT' ? [formatHeading(section)] : [formatHeading(section), section.example],
  );
  return `${['# Scenario: GET document', ...parts].join('\n\n')}\n`;
}

function sectionsText(): string {
  const rows = sectionDefinitions.map((section) => [
    formatCode(formatHeading(section)),
    section.required ? 'yes' : 'no',
    section.meaning,
  ]);
  return renderTable(['Section', 'Required', 'Holds'], rows);
}

function metadataText(): string {
  const rows = metadataKeys.map((key) => [
    formatCode(key.name),
    key.required ? 'yes' : 'no',
    key.meaning,
    formatCode(key.example),
  ]);
  return renderTable(['Metadata', 'Required', 'Meaning', 'Example'], rows);
}

function triggerText(): string {
  const rows = builtInPlaceholders.map(({ name, meaning }) => [formatCode(`\${${name}}`), meaning]);
  const own = [formatCode('${NAME}'), 'a line of `.env` that the config lists under `scenarios.variables`'];
  return [
    `Methods: ${formatList(httpMethods)}. The path includes the API prefix.`,
    renderTable(['Placeholder', 'Stands for'], [...rows, own]),
    'Placeholders are replaced in the path, in header values and in the body, as they stand; never in checks, but for [captures](#several-requests) and [columns of cases](#cases). To send the ' +
      'text itself in a JSON body, write `\\u0024{`.',
    '`Authorization` comes from the config; a line of the scenario’s own replaces it, and `Authorization:` with nothing ' +
      'after it sends none.',
    `Not to be set: ${formatList([...refusedHeaders.keys()])}.`,
    '`CALL <connection>__<tool>` calls a tool through a hub, in place of the request line. `targets.http.base_url` is then the address of the ' +
      'control plane, and the bearer token a personal access token of the hub. The body is the JSON of the arguments; there are no header ' +
      'lines, and placeholders stand inside of strings. `status` is the outcome: 200 for a result, 500 for an error that the tool reports, 403 where ' +
      'the hub’s policy denies the call, 400 for an error of the protocol, such as an unknown tool; a refused token is 401. `body` is the ' +
      'structured content, or else the text: as JSON where it is an object or a list, otherwise as the field `text`. With 400 it is the error. The server gets the correlation id in ' +
      '`_meta` as `vp/correlation-id`.',
    '```\nCALL docs__search\n\n~~~json\n{ "query": "invoices" }\n~~~\n```',
    ...grpcText(),
    'A body follows a blank line or, better, is in a separate fence:',
    '```\nPOST ${INGESTION_URL}/api/v2/folder\nContent-Type: application/json\nX-Request-Id: ${correlation_id}\n\n' +
      '~~~json\n{ "name": "contracts" }\n~~~\n```',
    'Where the request has no `Content-Type` of its own, a fence `form` holds a field `name = value` on each line, a fence `multipart` ' +
      'also files, `name = @invoice.pdf; type=application/pdf; filename=other.pdf`, of which the type and the name may be left out, and a fence `graphql` a ' +
      'query and, below a line `variables`, their JSON. They are encoded and get their type; to a query, `body has no errors` is ' +
      'added unless a check names `errors`. Placeholders stand in the variables, not in the query:',
    `A file has its path from the scenario, lies within the folder of the scenarios and has at most ${maxUploadBytes} bytes. A value that begins ` +
      'with `@@` is a text that begins with `@`; a value of a placeholder is never a file.',
    '```\nPOST ${INGESTION_URL}/graphql\nX-Request-Id: ${correlation_id}\n\n~~~graphql\nquery ($id: ID!) { order(id: $id) { total } }\n\n' +
      'variables\n{ "id": "${ORDER}" }\n~~~\n```',
  ].join('\n\n');
}

function grpcText(): string[] {
  return [
    '`GRPC <package>.<Service>/<Method>` calls a method of gRPC at `targets.grpc.base_url`, or at `targets.http.base_url` without it. Header lines are ' +
      'its metadata. A line `proto: <file>` names the schema by its path from the scenario, and what that file imports comes with it; without the line the ' +
      'target is asked by reflection. The body is the JSON of the message, or a fence `messages` with a message on each line for a method that ' +
      'takes a stream.',
    '```\nGRPC shop.v1.Orders/GetOrder\nX-Request-Id: ${correlation_id}\nproto: shop/v1/orders.proto\n\n~~~json\n{ "orderId": 7 }\n~~~\n```',
    'Checks see `status` as HTTP has it: 200 for OK, 400 for INVALID_ARGUMENT, FAILED_PRECONDITION and OUT_OF_RANGE, 401 for UNAUTHENTICATED, 403 for ' +
      'PERMISSION_DENIED, 404 for NOT_FOUND, 409 for ALREADY_EXISTS and ABORTED, 429 for RESOURCE_EXHAUSTED, 499 for CANCELLED, 501 for UNIMPLEMENTED, ' +
      '503 for UNAVAILABLE, 504 for DEADLINE_EXCEEDED and 500 for the others. The code itself is `header grpc-status equals 5`, and trailers are headers too. The body is the ' +
      'message as ProtoJSON: names such as `orderId`, texts for 64-bit integers, names for enums; fields that are not set have their default, but ' +
      'those that can be absent (`optional`, messages, a `oneof`). An error has the body `code`, `message` and `details`. To `until` a call is like POST: it needs `repeatable`.',
  ];
}

function checksText(kinds: readonly CheckKind[]): string {
  const rows = kinds.map(({ form, meaning, example, looksAt, counted }) => [
    formatCode(form),
    meaning,
    formatCode(example),
    looksAt,
    counted ? 'yes' : looksAt === 'response' ? 'no' : 'apart',
  ]);
  return [
    renderTable(['Check', 'Holds when', 'Example', 'Looks at', 'Counted'], rows),
    'A field is a path into the JSON body: `count`, `database.status`, `data[0].id`, `["a key"]`. A key of the body that ' +
      'itself contains a dot is found first. Everything after the keyword is taken literally, without quotation marks.',
    'In the layer `HTTP Ingestion` numbers are not compared with `>`, `>=`, `<`, `<=`: match the digits, `^[0-9]+$` for 0 or ' +
      'more, `^[1-9][0-9]*$` for 1 or more, or say what a number equals: `body totalPages equals ceil(count / perPage)`. Layers ' +
      'with evidence compare numbers, also without a check of that evidence. `duration` is compared in every layer.',
    'A path through a list is followed in each of its elements by `body every`, `body some`, `body has no`, `body sorted by`, ' +
      '`body unique` and by `sum`, `count`, `min`, `max`; the other checks name one element, `data[0].id`. An empty list fails ' +
      'these `body` checks, because it shows nothing: `body every or none …` says that it may be empty. Its `sum` and `count` are ' +
      '0, and it has no `min` or `max`.',
    'Tests of `body every`, `body some`, `header` and `cookie`, the last two also with `absent`:',
    renderTable(
      ['Test', 'Holds when'],
      valueTests.map(({ form, meaning }) => [formatCode(form), meaning]),
    ),
    'Where the status is wrong, failing checks of the response are marked as its consequences and not as failures of their own.',
  ].join('\n\n');
}

/** The guide, in Markdown. */
export function renderScenarioGuide(kinds: readonly CheckKind[] = checkKinds): string {
  return `${[
    '# Writing scenarios',
    `A scenario is one Markdown file of at most ${maxTextLength} characters, ${maxCompleteLength} with the files that it uses:`,
    `\`\`\`\`markdown\n${renderExampleScenario()}\`\`\`\``,
    '## Sections',
    'The title is `# Scenario: <METHOD> <name>`: the method of the request, a space, and at least one word, such as ' +
      '`# Scenario: POST folder without a name`. Anything after ` - ` is free text: `# Scenario: GET order - as another customer`.',
    sectionsText(),
    metadataText(),
    '## The request',
    triggerText(),
    '## Checks',
    checksText(kinds),
    renderEvidenceGuide(),
    renderStepsGuide(),
    renderStreamsGuide(),
    renderCasesGuide(),
  ].join('\n\n')}\n`;
}

/** The page docs/reference/scenario-language.md. */
export function renderLanguageReference(): string {
  const guide = renderScenarioGuide().replace(/^# .*\n/, '');
  return [
    '<!-- Generated by `node build.mjs` from the tables of the parser. `vp guide` prints the same. -->',
    '# Scenario language',
    guide.trimEnd(),
    '',
  ].join('\n');
}
