/** Errors and warnings of CASES. */
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
  SCENARIO_CASE_CELLS: invalid(
    'this row has {{count}} cells, and the table has {{columns}} columns',
    'write one cell for each column; in a cell, a `|` is written `\\|`',
  ),
  SCENARIO_CASE_NAME: invalid(
    'this case has no usable name',
    'name it in the column `case`, with at most {{max}} characters',
  ),
  SCENARIO_CASE_DOUBLED: invalid('line {{line}} already has a case `{{name}}`', 'give each case its own name'),
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
