/** The part of the guide about scenarios of several requests. */
import { captureSources } from './capture.ts';
import { concurrentLimits } from './concurrent.ts';
import { maxUseDepth } from './embedded-files.ts';
import { formatCode, renderTable } from './guide-table.ts';
import { receiveForms, receiveLimits } from './receive.ts';
import { maxSteps } from './steps.ts';
import { untilLimits } from './until.ts';

/** A scenario with steps, captures, a repeated request and a cleanup. */
export function renderStepsExample(): string {
  return `# Scenario: GET order that was paid

## Metadata

- ID: RT-GET-order-paid
- Layer: HTTP Ingestion

## STEPS

### create the order

POST \${INGESTION_URL}/api/v2/order
Content-Type: application/json

~~~json
{ "item": "lamp" }
~~~

- status=201
- capture order_id = body.id

### pay

POST \${INGESTION_URL}/api/v2/order/\${order_id}/payment

- status=202

## TRIGGER

GET \${INGESTION_URL}/api/v2/order/\${order_id}
X-Request-Id: \${correlation_id}

## EXPECT

### Runnable

- status=200
- body has id equals \${order_id}
- until body has state equals paid within 20s every 500ms

## CLEANUP

### remove the order

DELETE \${INGESTION_URL}/api/v2/order/\${order_id}

- status=204
`;
}

export function renderStepsGuide(): string {
  const sources = captureSources.map(({ form, meaning, example }) => [
    formatCode(form),
    meaning,
    formatCode(`- ${example}`),
  ]);
  const { maxWithinMs, minEveryMs, maxEveryMs, usualEveryMs } = untilLimits;
  return [
    '## Several requests',
    'Steps prepare what the request of TRIGGER needs; CLEANUP removes what the run left:',
    `\`\`\`\`markdown\n${renderStepsExample()}\`\`\`\``,
    `A step begins with \`### <name>\`. Below it is a request as under TRIGGER, then, from the first bullet on, its checks ` +
      'and its captures; a body with lines that begin with `-` needs a fence. Steps are sent in their order. Where one ' +
      'fails, the run fails with its name, and nothing further is sent but the cleanup. A step without a check of the status ' +
      `fails on a status from 400 on. At most ${maxSteps} steps, and as many requests of CLEANUP; the time of TIMEOUT is for each.`,
    'A line `use: sign-in.md` under STEPS, above its headings, takes the steps and the requests of CLEANUP of another scenario, and what it ' +
      'captures: its steps are sent before, its cleanup after those of the scenario. It names a file by its path from the scenario, or a ' +
      `scenario of the same folder by its ID; these may use others, at most ${maxUseDepth} deep. A file with nothing but STEPS and CLEANUP is no ` +
      'scenario of its own. Texts that leave their folder take what they use with them, below `## FILES`, so that a run is ' +
      'one fixed text.',
    'A capture names a value of the response, which is a placeholder from the next request on: in TRIGGER, in queries, in ' +
      'CLEANUP, and as the operand of a check, such as `body has id equals ${order_id}`. Where there is no such value, the ' +
      'request that captures it fails. `### Runnable` may capture too, for CLEANUP.',
    renderTable(['Source', 'Meaning', 'Example'], sources),
    'Where the layer has log or database, steps may check and capture them too: the log with all lines of the run so far, and ' +
      'the queries of VERIFY that the step names, where `${body.<field>}` is a value of the step’s response. Requests of ' +
      'CLEANUP look at their response only.',
    'In a JSON body captured strings are escaped: write the quotation marks around the placeholder yourself. Other values of ' +
      'a JSON body keep their form: `{ "id": ${order_id} }` sends a number as a number. In a pattern a captured value matches ' +
      'itself. Captured cookies, captured credential headers, and captures that the config lists under ' +
      '`scenarios.redacted_captures`, are `[redacted]` in reports.',
    '`- until <check> within <time> every <time>` sends a request again until the check of its response holds; then all checks ' +
      'are judged on the last response, which the report shows. It is a check like any other. Within at most ' +
      `${maxWithinMs / 1000}s; every ${minEveryMs}ms to ${maxEveryMs / 1000}s, ${usualEveryMs}ms without it. POST and PATCH may do ` +
      'their work twice: they need `repeatable` at the end of the bullet.',
    `\`- concurrent 8\` sends the request of a step ${concurrentLimits.min} to ${concurrentLimits.max} times at once, each on its own connection, ` +
      'all alike. All checks of the step must hold for each response; the report shows one for which they did not, and how many ' +
      'passed. Such a step captures nothing, and looks at its responses only: what the requests left is checked by the next step ' +
      'or by TRIGGER. Whether the target works on them at the same moment is up to the target and its machine, so a run that ' +
      'passes does not prove that there is no race; repeating the run tries more often.',
    'The requests of CLEANUP are sent after the verdict, whatever it is, also when the run was cancelled; each is sent although ' +
      'another one failed. They never change the verdict: a failure is a note and has its own place in the report. Nothing is ' +
      'sent where the run sent nothing, and a request with a capture that is missing is reported as not sent. Other text ' +
      'under CLEANUP is never executed.',
    'An executor that a control plane leases runs to notes each request before it is sent. After a crash no request is sent ' +
      'twice, and its next start sends the cleanup and reports it beside the lost run. A run without a control plane has no such ' +
      'journal.',
    'All requests of a run carry its correlation id, so that checks of the log see the lines of the steps too.',
  ].join('\n\n');
}

export function renderStreamsGuide(): string {
  const rows = receiveForms.map(({ form, meaning, example }) => [
    formatCode(form),
    meaning,
    formatCode(`- ${example}`),
  ]);
  const { maxMessages, maxMs } = receiveLimits;
  return [
    '## Streams',
    'Where the response to TRIGGER is a stream of server-sent events, one bullet under Runnable says how much of it is received. The body is ' +
      'then the list of the events, each with `event`, `data` (the JSON of the data, or its text) and, where there is one, `id`. With `messages` in ' +
      'place of `events` a GET request opens a WebSocket, a fence `messages` holds what is sent through it, a line each, the status is 101, and the body is the list of ' +
      'the JSON or text of each message:',
    renderTable(['Bullet', 'Meaning', 'Example'], rows),
    'The messages of a method of gRPC that answers with a stream are received by `messages` too; the status is 200 until the stream ends. What is sent ends with the ' +
      'last line of the fence `messages`, except with `for <time>`, where it stays open for that time. Without a bullet only an error can be ' +
      'checked of such a method.',
    `At most ${maxMessages} events or messages, and ${maxMs / 1000}s. The bullet is a check: it fails where the stream ends before that moment or within an event, and ` +
      'where the response is no stream; a stream that is broken off fails the run.',
  ].join('\n\n');
}
