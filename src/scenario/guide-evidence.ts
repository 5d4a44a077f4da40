/** The part of the guide about layers, queries and the checks that look beside the response. */
import type { CheckKind } from '../check/kind.ts';
import { type Check, kinds } from '../check/kinds.ts';
import { valueTests } from '../check/value-test.ts';
import { code, table } from './guide-table.ts';
import { layers } from './layers.ts';
import { maxQueries } from './queries.ts';
import { readingWords } from './sql-statement.ts';

const beside = kinds.filter((kind: CheckKind<Check>) => kind.looksAt !== 'response');

function layersText(): string {
  const rows = layers.map(({ name, database, log }) => [code(name), database ? 'yes' : 'no', log ? 'yes' : 'no']);
  return table(['Layer', 'Database', 'Log'], rows);
}

/** A scenario that looks at everything. */
export function evidenceExample(): string {
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
${beside.map(({ example }) => `- ${example}`).join('\n')}
`;
}

/** The section, with its heading. */
export function evidenceText(): string {
  const tests = valueTests.map(({ form, meaning }) => [code(form), meaning]);
  return [
    '## Database and log',
    'The layer says what checks may look at beside the response, which is judged in every layer:',
    layersText(),
    `\`\`\`\`markdown\n${evidenceExample()}\`\`\`\``,
    'The response decides first. Then log and database are looked at, again and again until their checks hold or some ' +
      'seconds have passed. Checks of them are counted in `evidence_assertions_count`.',
    'A fence of VERIFY that begins with `sql` holds one query; with several of them (at most ' +
      `${maxQueries}) each has a name, as in \`sql documents\`, and checks name it: \`db documents rows=1\`. A query begins ` +
      `with ${readingWords.join(', ')} and runs in a READ ONLY transaction. Placeholders in it, and \`\${body.<field>}\`, a ` +
      'value of the JSON response, become parameters: write `= ${body.id}`, without quotation marks, and a cast where ' +
      'PostgreSQL needs one, such as `${body.id}::uuid`. The prose of VERIFY is never executed.',
    'Tests of `db has` and `log has`:',
    table(
      ['Test', 'Holds when'],
      [...tests, ['nothing', 'the column is not null in every row; the field is there in some line']],
    ),
  ].join('\n\n');
}
