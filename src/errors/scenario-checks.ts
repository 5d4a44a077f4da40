/** Errors and warnings of the bullets under Runnable. */
import { invalid, warning } from './row.ts';

/** Part of the area: scenario. */
export const scenarioCheckRows = {
  SCENARIO_RUNNABLE_EMPTY: invalid(
    'there is no check under Runnable',
    'write at least one bullet, such as `- status=200`',
  ),
  SCENARIO_CHECK_NOT_BULLET: invalid(
    'this line under Runnable is not a check',
    'write each check as one bullet on one line, such as `- body has data`',
  ),
  SCENARIO_CHECKS_TOO_MANY: invalid('there are {{count}} checks', 'write at most {{max}}, and split the scenario'),
  SCENARIO_CHECK_UNKNOWN: invalid('`{{check}}` is not a check', '{{cure}}'),
  SCENARIO_CHECK_STATUS: invalid(
    '`{{written}}` is not an HTTP status',
    'write one number from 100 to 599, such as `status=200`, or a class, such as `status=2xx`',
  ),
  SCENARIO_STATUS_DOUBLED: invalid(
    'line {{line}} expects another status, and both cannot hold',
    'keep one of them; two statuses are two scenarios',
  ),
  SCENARIO_CHECK_COMPARISON: invalid(
    'comparing numbers with `{{sign}}` is refused in HTTP Ingestion scenarios',
    '{{cure}}',
  ),
  SCENARIO_CHECK_NUMBER: invalid(
    '`{{written}}` is not a number',
    'write digits, such as `5`, `-0.5` or `1e3`, without quotation marks and units',
  ),
  SCENARIO_CHECK_SPAN: invalid(
    '`{{written}}` is not a span of time',
    'write a whole number with its unit, `ms`, `s`, `m`, `h` or `d`: `within 1m of now`, `duration <= 300ms`',
  ),
  SCENARIO_CHECK_EXPRESSION: invalid(
    'the arithmetic cannot be read: {{problem}}',
    'write fields and numbers with operators between spaces, such as `body totalPages * perPage = 100` or `body total equals sum(items.price)`',
  ),
  SCENARIO_CHECK_PATTERN: invalid(
    'the regular expression is not valid: {{problem}}',
    'write it in RE2 syntax, which has no look-around and no backreferences',
  ),
  SCENARIO_CHECK_SELECTOR: invalid(
    'the selector `{{selector}}` cannot be used: {{problem}}',
    'write a CSS selector in quotation marks, such as `body css "h1" equals Orders`, of names, `#id`, `.class`, `[attribute]`, `>`, `+`, `~`, `:not()`, `:first-child`, `:nth-of-type()` and the like',
  ),
  SCENARIO_CHECK_OPERAND_MISSING: invalid(
    'nothing follows `{{keyword}}`',
    'write what to look for, such as `{{example}}`',
  ),
  SCENARIO_FIELD_INVALID: invalid('the field cannot be read: {{problem}}', '{{cure}}'),
  SCENARIO_CHECK_QUOTED: warning(
    'the marks {{mark}} around `{{inner}}` are part of the value to look for',
    'remove them, unless the value itself has them',
  ),
  SCENARIO_CHECK_PLACEHOLDER: warning(
    '`{{placeholder}}` is not replaced in a check: it is compared literally',
    'check the format of the value instead, such as `matching ^tr-`',
  ),
  SCENARIO_CHECK_DOUBLED: warning('line {{line}} has the same check', 'delete one of them: it is counted twice'),
} as const;
