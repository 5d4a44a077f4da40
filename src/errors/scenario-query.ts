/** Errors and warnings of the queries of a scenario. */
import { invalid, warning } from './row.ts';

/** Part of the area: scenario. */
export const scenarioQueryRows = {
  SCENARIO_QUERY_LAYER: invalid(
    'the layer `{{layer}}` has no database, so this query would never run',
    'write `- Layer: {{right}}`, or remove `sql` from the fence',
  ),
  SCENARIO_QUERY_NAME: invalid(
    '`{{name}}` is not a valid name for a query',
    'use lowercase letters, digits and `_`, at most 50, with a letter first; `has` and `rows` are keywords of checks',
  ),
  SCENARIO_QUERY_UNNAMED: invalid(
    'there are {{count}} queries, and this one has no name',
    'write its name after `sql`, such as `sql {{example}}`',
  ),
  SCENARIO_QUERY_DOUBLED: invalid('line {{line}} already has a query `{{name}}`', 'give each query its own name'),
  SCENARIO_QUERIES_TOO_MANY: invalid('there are {{count}} queries', 'write at most {{max}}, and split the scenario'),
  SCENARIO_QUERY_EMPTY: invalid(
    'there is no query in this fence',
    'write one, such as `SELECT 1`, or delete the fence',
  ),
  SCENARIO_QUERY_SEVERAL: invalid(
    'a second statement starts here',
    'keep one statement in each fence: give the other one its own fence and name',
  ),
  SCENARIO_QUERY_NOT_READING: invalid(
    'a query cannot begin with `{{word}}`',
    'begin with SELECT, WITH, VALUES or TABLE: queries run in a READ ONLY transaction, where nothing can be changed',
  ),
  SCENARIO_QUERY_UNCLOSED: invalid('`{{word}}` is never closed', 'write its closing mark'),
  SCENARIO_QUERY_PARAMETER: invalid(
    '`{{word}}` has no value: parameters are numbered by the executor',
    'write the placeholder itself, such as `${correlation_id}`',
  ),
  SCENARIO_QUERY_PLACEHOLDER_QUOTED: invalid(
    'a placeholder inside {{where}} is never replaced: its value becomes a parameter, not text',
    '{{cure}}',
  ),
  SCENARIO_QUERY_LANGUAGE: warning(
    'a `{{info}}` fence is never executed',
    'write `sql` after its marks, if it is a query to be run',
  ),
  SCENARIO_QUERY_UNUSED: warning(
    'no check uses the query `{{name}}`',
    'add one under Runnable, such as `- db {{check}}`, or delete the query',
  ),
  SCENARIO_QUERY_UNKNOWN: invalid('there is no query `{{name}}`', '{{cure}}'),
  SCENARIO_QUERY_AMBIGUOUS: invalid(
    'there are {{count}} queries, and this check names none',
    'name one of them, as in `{{example}}`',
  ),
  SCENARIO_QUERY_MISSING: invalid(
    'there is no query to check',
    'write one under `## VERIFY`, in a fence that begins with ```` ```sql ````',
  ),
  SCENARIO_QUERY_BODY_MISSING: invalid(
    '`{{placeholder}}` has no value for the query `{{query}}`: {{problem}}',
    'check the field against the response, and check it under Runnable with `body has {{field}}`',
  ),
  SCENARIO_CHECK_LAYER: invalid(
    '`{{check}}` checks {{evidence}}, and the layer is `{{layer}}`',
    'write `- Layer: {{right}}`',
  ),
} as const;
