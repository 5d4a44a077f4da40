/** Errors and warnings of the scenario language. */
import { invalid, warning } from './row.ts';

/** Area: checks under Runnable. */
const checkErrors = {
  SCENARIO_CHECK_UNKNOWN: invalid('`{{check}}` is no check', '{{cure}}'),
  SCENARIO_CHECK_STATUS: invalid(
    '`{{written}}` is no HTTP status',
    'write one number from 100 to 599, such as `status=200`',
  ),
  SCENARIO_CHECK_COMPARISON: invalid(
    'comparing numbers with `{{sign}}` is refused in HTTP Ingestion scenarios',
    '{{cure}}',
  ),
  SCENARIO_CHECK_PATTERN: invalid(
    'the regular expression is not valid: {{problem}}',
    'write it in RE2 syntax, which has no look-around and no backreferences',
  ),
  SCENARIO_CHECK_OPERAND_MISSING: invalid(
    'nothing stands behind `{{keyword}}`',
    'write what to look for, such as `{{example}}`',
  ),
  SCENARIO_CHECK_QUOTED: warning(
    'the marks {{mark}} around `{{inner}}` are part of what is looked for',
    'leave them out, unless the value itself has them',
  ),
  SCENARIO_FIELD_INVALID: invalid('the field cannot be read: {{problem}}', '{{cure}}'),
} as const;

/** The whole area. */
export const scenarioErrors = { ...checkErrors } as const;
