/** The part of the guide about scenarios with CASES. */
import { maxCases } from './cases.ts';

export function renderCasesExample(): string {
  return `# Scenario: GET order page

## Metadata

- ID: RT-GET-order-page
- Layer: HTTP Ingestion

## TRIGGER

GET \${INGESTION_URL}/api/v2/order?page=\${page}
X-Request-Id: \${correlation_id}

## EXPECT

### Runnable

- status=\${status}
- body text containing \${text}

## CASES

| case       | page | status | text         |
| ---------- | ---- | ------ | ------------ |
| first page | 1    | 200    | "data"       |
| page zero  | 0    | 422    | from 1       |
| no number  | x    | 422    | not a number |
`;
}

export function renderCasesGuide(): string {
  return [
    '## Cases',
    'Each row of the table under CASES is a case. It sends and judges everything that the scenario says, with its values for the ' +
      'placeholders that the columns are:',
    `\`\`\`\`markdown\n${renderCasesExample()}\`\`\`\``,
    `The first line names the columns, the second is \`| --- |\` for each, and every further one is a case: at most ${maxCases}. The column ` +
      '`case` has the names of the cases; without it they are `row 1`, `row 2`. In a cell, `\\|` is a `|`; all else is taken as it stands, ' +
      'without quotation marks, and an empty cell is an empty text.',
    'Columns stand where captures may stand: in requests, in queries, in CLEANUP, and in checks as the operand. ' +
      'In a pattern a value matches itself. In a JSON body, write the quotation marks around a text yourself: `{ "name": "${name}", ' +
      '"count": ${count} }`.',
    'A line `from: orders.csv` in place of the table names a file beside the scenario: CSV, whose first line has the columns, or JSON, a list of ' +
      'objects with the same members, whose values are texts, numbers, booleans or null.',
    'Cases are sent one after another, each with its own correlation id, steps, queries and cleanup; checks of the log see the lines of ' +
      'their case. The scenario passes where every case passes. The report lists each case with its verdict, and displays the first that ' +
      'failed in full; in JUnit each is a test case. Three cases in a row without an answer end the run, and what was not sent is ' +
      'reported as such.',
  ].join('\n\n');
}
