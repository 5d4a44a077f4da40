/** Errors and warnings of CASES, and of the files that a scenario uses. */
import { invalid, peerFailure, warning } from './row.ts';

/** Part of the area: scenario. */
export const scenarioCaseRows = {
  SCENARIO_CASES_HEAD: invalid(
    'the cases are not a table',
    'begin with a row of names such as `| case | page |`, at most {{max}} of them, and below it `| --- | --- |`',
  ),
  SCENARIO_CASES_TEXT: invalid(
    'this is not a row of the table',
    'begin rows with `|`, such as `| first page | 1 |`, and move everything else to VERIFY',
  ),
  SCENARIO_CASES_EMPTY: invalid(
    'the table has no case',
    'write a row below `| --- | --- |`, such as `| first page | 1 |`; or delete the section',
  ),
  SCENARIO_CASES_TOO_MANY: invalid('the table has {{count}} cases', 'write at most {{max}}, and split the scenario'),
  SCENARIO_CASES_COLUMN: invalid(
    'this is not the name of a column',
    'write letters, digits and `_`, beginning with a letter: the name is a placeholder',
  ),
  SCENARIO_CASES_COLUMN_TAKEN: invalid(
    '`{{name}}` already is the name of another placeholder',
    'choose another name for the column',
  ),
  SCENARIO_CASES_COLUMN_UNUSED: warning(
    'no request and no check uses `{{placeholder}}`',
    'write it where the value belongs, or delete the column',
  ),
  SCENARIO_CASES_FILE: invalid(
    'the cases cannot be read from `{{name}}`: {{problem}}',
    'name a .csv file whose first line has the columns, or a .json file that is a list of objects with the same members',
  ),
  SCENARIO_FILE_ABSENT: invalid(
    'there is no `{{name}}` that this scenario could use',
    'put it into the folder of the scenario, with its path from there; or, for steps, name a scenario of the folder by its ID. ' +
      'A text without a folder (console, agents, API) has its files at its end: `## FILES`, `### {{name}}`, and the content in a fence',
  ),
  SCENARIO_CHECK_FILE: invalid(
    'the body cannot be compared with `{{name}}`: {{problem}}',
    'name a .json file with the expected body, or with a JSON Schema',
  ),
  SCENARIO_USE_EMPTY: invalid('`{{name}}` has no steps', 'name a scenario with a section STEPS'),
  SCENARIO_USE_CYCLE: invalid('`{{name}}` uses itself, at once or through others', 'delete one of the lines `use:`'),
  SCENARIO_USE_DEPTH: invalid(
    'scenarios use each other more than {{max}} deep',
    'write the steps into the scenario that uses them',
  ),
  SCENARIO_CASE_CELLS: invalid(
    'this row has {{count}} cells, and the table has {{columns}} columns',
    'write one cell for each column; in a cell, a `|` is written `\\|`',
  ),
  SCENARIO_CASE_NAME: invalid(
    'this case has no usable name',
    'name it in the column `case`, with at most {{max}} characters',
  ),
  SCENARIO_CASE_DOUBLED: invalid('an earlier row already has the case `{{name}}`', 'give each case its own name'),
  SCENARIO_CASE_CHECK: invalid(
    'with the values of the case `{{name}}`, line {{line}} (`{{check}}`) is not a check',
    'write a value that fits the check: not empty, and a number where it compares numbers',
  ),
} as const;

/** Why a case was not sent; in reports. */
export const caseErrors = {
  CASE_RUN_ENDED: peerFailure(
    'not sent: three cases before it got no answer',
    'see why the target did not answer, then run the scenario again',
  ),
  CASE_NOT_KNOWN: peerFailure('the executor ended and took with it what came', 'run the scenario again'),
} as const;
