/** Errors and warnings of the scenario language. */
import { invalid, localFailure, notFound, warning } from './row.ts';
import { scenarioCaseRows } from './scenario-cases.ts';
import { scenarioCheckRows } from './scenario-checks.ts';
import { scenarioQueryRows } from './scenario-query.ts';
import { scenarioStepRows } from './scenario-steps.ts';
import { scenarioTriggerRows } from './scenario-trigger.ts';

const textErrors = {
  SCENARIO_TOO_LARGE: invalid('the text has {{length}} characters', 'shorten it: a scenario has at most {{max}}'),
  SCENARIO_FILES_TOO_LARGE: invalid(
    'with its files the text has {{length}} characters, {{file_length}} of them in `{{file}}`',
    'use smaller files, at most {{max}} characters with the text; of an OpenAPI document 3.0 or 3.1 only the responses of the scenario’s requests count',
  ),
  SCENARIO_BINARY: invalid('this is not text: it contains a NUL character', 'name a Markdown file'),
  SCENARIO_EMPTY: invalid('there is no text', 'begin with `# Scenario: GET document`'),
  SCENARIO_LONE_CR: invalid(
    'a carriage return has no line feed after it; Markdown readers take it for a line ending and others do not',
    'end lines with LF or CR LF',
  ),
  SCENARIO_CONTROL_CHARACTER: invalid('the text contains the control character {{point}}', 'delete it'),
  SCENARIO_FENCE_UNCLOSED: invalid('the fence is never closed', 'write {{marks}} on a line of its own after its text'),
  SCENARIO_COMMENT_UNCLOSED: invalid('the comment is never closed', 'write `-->` after it'),
  SCENARIO_COMMENT_TEXT: invalid(
    'this text belongs to the comment before it and would be ignored',
    'put it on a line of its own',
  ),
  SCENARIO_MORE_PROBLEMS: warning('there are {{remaining}} more problems', 'correct those above first'),
} as const;

const structureErrors = {
  SCENARIO_TITLE_MISSING: invalid('the title is missing', 'begin with `# Scenario: <METHOD> <path-name>`'),
  SCENARIO_TITLE_INVALID: invalid(
    '`{{title}}` is not a valid scenario title',
    'write `# Scenario: <METHOD> <path-name>`, such as `# Scenario: GET document`',
  ),
  SCENARIO_TITLE_LEVEL: invalid('the title has the wrong level', 'write `# {{title}}`, with one `#`'),
  SCENARIO_TITLE_LATE: invalid('the title comes after a section', 'move it to the top'),
  SCENARIO_TITLE_DOUBLED: invalid('line {{line}} already has a title', 'keep one scenario in each file'),
  SCENARIO_TITLE_METHOD: warning(
    'the title says {{word}}, the request is a {{method}}',
    'name the method that is sent',
  ),
  SCENARIO_HEADING_SPACE: invalid(
    'this is not a heading in Markdown',
    'put a space after the marks: `{{marks}} {{name}}`',
  ),
  SCENARIO_SECTION_UNKNOWN: invalid('there is no section `{{section}}`', '{{cure}}'),
  SCENARIO_SECTION_LEVEL: invalid('`{{written}}` has the wrong level', 'write `{{right}}`'),
  SCENARIO_SECTION_DOUBLED: invalid('line {{line}} already has a section {{section}}', 'merge the two'),
  SCENARIO_SECTION_MISPLACED: invalid('{{section}} is outside {{within}}', 'move it below `## {{within}}`'),
  SCENARIO_SECTION_MISSING: invalid('the section `{{section}}` is missing', 'add it; it begins like `{{example}}`'),
  SCENARIO_TEXT_MISPLACED: invalid(
    'text here is never executed',
    'move checks below `### Runnable`, and everything else to VERIFY',
  ),
  SCENARIO_METADATA_INVALID: invalid(
    '`{{text}}` is not a metadata entry',
    'write one bullet each, such as `- ID: RT-GET-document`',
  ),
  SCENARIO_METADATA_UNKNOWN: invalid('there is no metadata key `{{key}}`', '{{cure}}'),
  SCENARIO_METADATA_DOUBLED: invalid('{{key}} appears here a second time', 'keep one of the lines'),
  SCENARIO_METADATA_MISSING: invalid('{{key}} is missing', 'add the bullet `- {{key}}: {{example}}`'),
  SCENARIO_OWNER_INVALID: invalid(
    '`{{owner}}` is not a valid owner',
    'name one person or team in at most 100 characters, such as `- Owner: checkout team`',
  ),
  SCENARIO_LINK_INVALID: invalid(
    '`{{link}}` is not a link',
    'write at most ten addresses that begin with `https://` or `http://`, separated by spaces',
  ),
  SCENARIO_ID_INVALID: invalid(
    '`{{id}}` is not a valid ID',
    'use letters, digits, `.`, `_` and `-`, at most 100, with a letter or digit first',
  ),
  SCENARIO_ID_IN_USE: invalid(
    'the environment already has a scenario `{{id}}`',
    'write `{{proposal}}`, which is free, or change the existing scenario',
  ),
  SCENARIO_ID_CHANGED: invalid(
    'the text has the ID `{{id}}`, and the scenario is `{{expected}}`',
    'write `{{expected}}`, or rename the scenario',
  ),
  SCENARIO_LAYER_UNKNOWN: invalid('there is no layer `{{layer}}`', '{{cure}}'),
  SCENARIO_TAG_INVALID: invalid(
    '`{{tag}}` is not a valid tag',
    'use letters, digits, `.`, `_`, `:`, `/` and `-`, at most 50, with a letter or digit first',
  ),
  SCENARIO_TIMEOUT_INVALID: invalid('the timeout is not a number of seconds from 1 to 600', 'write `{{right}}`'),
} as const;

const fileErrors = {
  SCENARIO_ID_DOUBLED: invalid('`{{id}}` is also the ID in {{file}}', 'give each scenario its own ID'),
  SCENARIO_FILE_MISSING: notFound('there is no file or folder {{path}}', '{{hint}}check the path'),
  SCENARIO_FILE_UNREADABLE: invalid(
    '{{path}} cannot be read: {{problem}}',
    'check that it is a file and that you may read it',
  ),
  SCENARIO_FILE_NOT_UTF8: invalid('{{path}} is not UTF-8 text', 'save it as UTF-8, or name a Markdown file'),
  SCENARIO_FILE_TOO_LARGE: invalid(
    '{{path}} has {{bytes}} bytes',
    'shorten it: a scenario has at most 262144 characters, and 1048576 with its files',
  ),
  SCENARIO_FILE_UNWRITABLE: localFailure(
    '{{path}} cannot be written: {{problem}}',
    'check its permissions and the free disk space',
  ),
  SCENARIO_FILE_YAML: invalid(
    '{{path}} is YAML, and scenarios are Markdown',
    'if it is the config, check it with `vp validate-config {{folder}}`',
  ),
  SCENARIO_FOLDER_EMPTY: notFound(
    'there is no scenario in {{path}}{{others}}',
    'name a folder that holds scenarios (*.md)',
  ),
} as const;

export const scenarioErrors = {
  ...textErrors,
  ...structureErrors,
  ...scenarioTriggerRows,
  ...scenarioCheckRows,
  ...scenarioQueryRows,
  ...scenarioStepRows,
  ...scenarioCaseRows,
  ...fileErrors,
} as const;
