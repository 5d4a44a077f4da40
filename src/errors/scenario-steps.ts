/** Errors and warnings of steps, captures and repeated requests. */
import { invalid, peerFailure, warning } from './row.ts';

/** Part of the area: scenario. */
export const scenarioStepRows = {
  SCENARIO_STEPS_EMPTY: invalid(
    'there is no step under STEPS',
    'write `### <name>`, and below it a request such as `GET ${INGESTION_URL}/api/v2/document`; or delete the section',
  ),
  SCENARIO_STEPS_TOO_MANY: invalid(
    'there are {{count}} requests here',
    'write at most {{max}}, and split the scenario',
  ),
  SCENARIO_STEP_TEXT: invalid(
    'this text belongs to no step',
    'write `### <name>` above a request, and move everything else to VERIFY',
  ),
  SCENARIO_STEP_HEADING: invalid(
    'this heading is not the name of a step',
    'write `### <name>`, with three `#` and a name of at most 100 characters',
  ),
  SCENARIO_STEP_DOUBLED: invalid('line {{line}} already has a step `{{name}}`', 'give each step its own name'),
  SCENARIO_STEP_EMPTY: invalid(
    'the step `{{name}}` has no request',
    'write its line below the heading, such as `GET ${INGESTION_URL}/api/v2/document`, and its checks after it',
  ),
  SCENARIO_STEP_EVIDENCE: invalid(
    'a request of CLEANUP cannot look at the {{evidence}}',
    'move the line to a step or below `### Runnable`',
  ),
  SCENARIO_CLEANUP_NOT_SENT: warning(
    'this request under CLEANUP is text and is not sent',
    'write `### <name>` above it to send it after the verdict',
  ),
  SCENARIO_CAPTURE_INVALID: invalid(
    'this is not a capture',
    'write `capture <name> = <source>` with letters, digits and `_` in the name, and as the source `body.<field>`, ' +
      '`header <name>`, `cookie <name>`, `status`, `log <field>` or `db [<query>] <column>`',
  ),
  SCENARIO_CAPTURE_TAKEN: invalid(
    '`{{name}}` already is the name of another placeholder',
    'choose another name for the capture',
  ),
  SCENARIO_CAPTURE_DOUBLED: invalid('`{{name}}` is captured a second time', 'choose another name for one of them'),
  SCENARIO_CAPTURE_POSITION: invalid(
    'a captured value can only be the operand of a check',
    'write it after the keyword or the sign, such as `body has id equals ${order_id}`',
  ),
  SCENARIO_CAPTURE_UNUSABLE: invalid(
    'with the captured value of `{{name}}`, line {{line}} (`{{check}}`) is not a check',
    'capture a value without line breaks and surrounding spaces that fits the check, or compare another one',
  ),
  SCENARIO_UNTIL_INVALID: invalid(
    'this repetition cannot be read',
    'write `until <check> within <time> every <time>`, such as `until body has state equals done within 20s every 500ms`; ' +
      'within at most 600s, every 50ms to 60s; without `every` it is 500ms',
  ),
  SCENARIO_RECEIVE_INVALID: invalid(
    'how the stream is received cannot be read',
    'write `receive events until <check> within <time>`, `receive <n> events within <time>`, `receive events for <time>` or `receive events`; ' +
      'at most 600s and 1000 events; `messages` in place of `events` opens a WebSocket, or receives those of gRPC',
  ),
  SCENARIO_RECEIVE_STEP: invalid(
    'only the response to TRIGGER is received as a stream',
    'move the bullet below `### Runnable`; steps are sent before the stream is opened',
  ),
  SCENARIO_RECEIVE_BODY: invalid(
    'what is sent through a WebSocket and the body of a request are two things',
    'write the messages in a fence `messages`, one on each line, and `receive messages …` below `### Runnable`',
  ),
  SCENARIO_RECEIVE_DOUBLED: invalid(
    'a stream is received once, and its request is not repeated',
    'keep one of the bullets `receive` and `until`',
  ),
  SCENARIO_RECEIVE_METHOD: invalid(
    'a {{method}} request opens no such stream',
    'open a WebSocket by GET; events come in the body of a response, which HEAD and TRACE do not have',
  ),
  SCENARIO_RECEIVE_GRPC: invalid(
    'a method of gRPC answers with messages, not with server-sent events',
    'write `messages` in place of `events`',
  ),
  SCENARIO_UNTIL_DOUBLED: invalid('a request is repeated until one check holds, and this is the second', 'keep one'),
  SCENARIO_UNTIL_EVIDENCE: invalid(
    'a request is repeated only until its response satisfies a check',
    'name a check of the response; those of the log and the database are looked at again by themselves',
  ),
  SCENARIO_UNTIL_METHOD: invalid(
    'sending {{method}} again may do its work twice',
    'write `repeatable` at the end if it may be sent several times; or repeat a request that reads the state',
  ),
  SCENARIO_CONCURRENT_INVALID: invalid(
    'this is not how many times the step is sent at once',
    'write `concurrent <n>` once, with a number from {{min}} to {{max}}, such as `concurrent 8`',
  ),
  SCENARIO_CONCURRENT_POSITION: invalid(
    'only a step is sent several times at once',
    'move the request to STEPS, and check with the request of TRIGGER what is there afterwards',
  ),
  SCENARIO_CONCURRENT_COMBINED: invalid(
    'a step that is sent several times at once has no capture and no `until`, and looks at its responses only',
    'capture, repeat, or look at the log and the database in the next step or below `### Runnable`',
  ),
} as const;

/** Why a request of STEPS or CLEANUP failed or was not sent; in reports. */
export const stepErrors = {
  STEP_STATUS_UNEXPECTED: peerFailure(
    'responder returned status {{status}}, and no check names the status',
    'write `status={{status}}` among its checks if that is the right answer',
  ),
  STEP_CAPTURE_ABSENT: peerFailure(
    '`{{placeholder}}` was not captured in this run',
    'see the request that captures it: it failed or was not sent, so there may be nothing to clean up',
  ),
  STEP_SENT_BEFORE_CRASH: peerFailure(
    'the executor ended while this request may have been on its way, and it is not sent twice',
    'check in the target whether its work was done',
  ),
  STEP_CAPTURE_WITHHELD: peerFailure(
    '`{{placeholder}}` is not displayed and so was not stored, and the executor that had it ended',
    'clean up by hand; or capture a value that is no secret for the cleanup',
  ),
  STEP_COPY_RESTORED: peerFailure(
    'the executor runs on a copy of its folder, so this request may have been sent before',
    'check in the target whether there is something to clean up',
  ),
} as const;
