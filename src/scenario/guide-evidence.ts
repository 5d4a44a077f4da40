/** The part of the guide about layers, queries and the checks of evidence other than the response. */
import { valueTests } from '../check/forms/value-test.ts';
import { checkKinds } from '../check/kinds.ts';
import { formatCode, renderTable } from './guide-table.ts';
import { layerDefinitions } from './layers.ts';
import { maxQueries } from './queries.ts';
import { readingKeywords } from './sql-statement.ts';

const evidenceKinds = checkKinds.filter(({ looksAt }) => looksAt !== 'response');

function layersText(): string {
  const rows = layerDefinitions.map(({ name, database, log }) => [
    formatCode(name),
    database ? 'yes' : 'no',
    log ? 'yes' : 'no',
  ]);
  return renderTable(['Layer', 'Database', 'Log'], rows);
}

/** A scenario with checks of the response, the database and the log. */
export function renderEvidenceExample(): string {
  return `# Scenario: POST document

## Metadata

- ID: RT-POST-document
- Layer: HTTP Ingestion + Database + Log

## TRIGGER

POST \${INGESTION_URL}/api/v2/document
Content-Type: application/json
X-Request-Id: \${correlation_id}

~~~json
{ "title": "Lease" }
~~~

## VERIFY

The document is stored once, as a draft.

\`\`\`sql
SELECT title, status, pages FROM document WHERE id = \${body.id}
\`\`\`

## EXPECT

### Runnable

- status=201
- body has id
${evidenceKinds.map(({ example }) => `- ${example}`).join('\n')}
`;
}

export function renderEvidenceGuide(): string {
  const tests = valueTests.map(({ form, meaning }) => [formatCode(form), meaning]);
  return [
    '## Database and log',
    'The layer says what checks may look at besides the response, which is judged in every layer:',
    layersText(),
    `\`\`\`\`markdown\n${renderEvidenceExample()}\`\`\`\``,
    'The response decides first. Then log and database are looked at, again and again until their checks hold or some ' +
      'seconds have passed. Checks of them are counted in `evidence_assertions_count`. A check that could not look is neither ' +
      'passed nor failed: the run is `evidence_unavailable`, with the fix. So it is where `log errors` has no `level_field` ' +
      'or `error_match`, where a line of the run lacks the level or writes it in a form that `error_match` cannot match, where ' +
      '`log has` meets no JSON, and where a bound on `log lines` would hold for a log that has not given a single line.',
    'A fence of VERIFY that begins with `sql` holds one query; with several of them (at most ' +
      `${maxQueries}) each has a name, as in \`sql documents\`, and checks name it: \`db documents rows=1\`. A query begins ` +
      `with ${readingKeywords.join(', ')} and runs in a READ ONLY transaction. Placeholders in it, and \`\${body.<field>}\`, a ` +
      'value of the JSON response, become parameters: write `= ${body.id}`, without quotation marks, and a cast where ' +
      'PostgreSQL needs one, such as `${body.id}::uuid`. Tables and views of the schema `public` are read: show what is in ' +
      'another one by a view. Where row-level security may hide rows from the user, the query says nothing and the run is ' +
      '`evidence_unavailable`: give the user a policy `USING (true)`. The prose of VERIFY is never executed.',
    'Tests of `db has` and `log has`:',
    renderTable(
      ['Test', 'Holds when'],
      [...tests, ['nothing', 'the column is not null in every row; the field is there in some line']],
    ),
  ].join('\n\n');
}
