/** Errors and warnings of `platform-config.yaml` and its `.env`. `{{key}}` is dotted, as in `targets.http.base_url`. */
import { invalid, notFound, warning } from './row.ts';

export const configErrors = {
  CONFIG_INVALID: invalid(
    '{{file}} has {{errors}} errors',
    'correct them; `vp validate-config {{folder}}` shows each with its line',
  ),
  CONFIG_FOLDER_MISSING: notFound('there is no folder {{folder}}', 'name the folder that holds platform-config.yaml'),
  CONFIG_FILE_MISSING: notFound(
    'there is no platform-config.yaml in {{folder}}{{similar}}',
    'write one with `vp new`, or name the folder that has it; the smallest file is two lines: ' +
      '`project: { name: my-app }` and `targets: { http: { base_url: "http://127.0.0.1:3000" } }`',
  ),
  CONFIG_FILE_UNREADABLE: invalid(
    '{{file}} cannot be read ({{reason}})',
    'make it a file that this user may read: `ls -ld {{file}}` shows its type, owner and permissions',
  ),
  CONFIG_FILE_TOO_LARGE: invalid(
    '{{file}} is larger than {{limit}}',
    'check that this is the right file; a config has a few dozen lines',
  ),
  CONFIG_FILE_NOT_TEXT: invalid(
    '{{file}} is not UTF-8 text (first at byte {{byte}})',
    'check that this is the right file, and save it as UTF-8',
  ),
  CONFIG_PROBLEMS_OMITTED: warning(
    '{{count}} more problems are not listed',
    'correct the {{listed}} that are listed, then validate again',
  ),
  CONFIG_YAML_INVALID: invalid('this is not valid YAML: {{problem}}', 'correct the line; {{hint}}'),
  CONFIG_YAML_TAB: invalid('this line is indented with a tab', 'use spaces: YAML does not allow tabs for indentation'),
  CONFIG_YAML_ALIAS: invalid(
    'anchors and aliases (`&name`, `*name`, `<<`) are not supported',
    'write the value out where it is needed',
  ),
  CONFIG_YAML_TOO_DEEP: invalid(
    'this is nested deeper than {{limit}} levels',
    'remove the extra levels: no key of the config is that deep',
  ),
  CONFIG_KEY_DOUBLED: invalid('`{{key}}` is already set above', 'keep one of the two'),
  CONFIG_KEY_MISSPELLED: invalid('unknown key `{{key}}`', 'did you mean `{{nearest}}`?'),
  CONFIG_KEY_UNKNOWN: warning('unknown key `{{key}}` is ignored', 'remove it; known here: {{known}}'),
  CONFIG_KEY_MISSING: invalid('`{{key}}` is missing{{because}}', 'add it, for example `{{example}}`'),
  CONFIG_VALUE_EMPTY: invalid('`{{key}}` has no value', 'write one, for example `{{example}}`, or remove the key'),
  CONFIG_VALUE_TYPE: invalid('`{{key}}` must be {{expected}}, not {{actual}}', 'write it as in `{{example}}`'),
  CONFIG_VALUE_UNSUPPORTED: invalid(
    '`{{key}}` says `{{value}}`, which is not supported',
    'the only supported value is `{{supported}}`',
  ),
  CONFIG_VALUE_INVALID: invalid('`{{key}}` is {{problem}}', 'write it as in `{{example}}`'),
  CONFIG_BASE_URL_INVALID: invalid('`{{key}}` {{problem}}', 'write scheme, host and port only: `{{example}}`'),
  CONFIG_BASE_URL_PATH: warning(
    '`{{key}}` has `{{dropped}}` after host and port, which is ignored',
    'write only `{{base_url}}` here and start the path in every TRIGGER with it: {{trigger}}',
  ),
  CONFIG_ADDRESS_LOCAL: warning(
    '`{{key}}` names `{{host}}`, which inside a container network is the container itself',
    'write the compose service and the port inside its container: `{{instead}}`{{lookup}}',
  ),
  CONFIG_ADDRESS_LOCAL_REFUSED: invalid(
    '`{{key}}` names `{{host}}`, which in the network of the target is the container of the executor itself',
    'write the compose service and the port inside its container: `{{instead}}`{{lookup}}',
  ),
  CONFIG_ENV_UNIGNORED: warning(
    'git would add {{file}}, which holds secrets, to the repository',
    'add the line `{{line}}` to .gitignore in its folder',
  ),
  CONFIG_ENV_TRACKED: warning(
    'git tracks {{file}}, so its secrets are in the repository',
    'run `{{untrack}}`, add the line `{{line}}` to .gitignore in its folder, commit both, and replace the secrets',
  ),
  CONFIG_DATABASE_OWNER: warning(
    'the database user `{{user}}` usually owns the database, so that it may write and change its tables',
    'use a role that may only read: `CREATE ROLE vp_reader LOGIN PASSWORD …; GRANT SELECT ON ALL TABLES IN SCHEMA public TO vp_reader;`',
  ),
  CONFIG_JDBC_URL_INVALID: invalid('`targets.database.jdbc_url` {{problem}}', '{{cure}}'),
  CONFIG_SECRET_LITERAL: invalid(
    '`{{key}}` holds the secret itself, and this file is committed',
    'write `{{key_name}}: {{reference}}` here, put the secret after `{{name}}=` in .env, and replace a secret that was committed',
  ),
  CONFIG_SECRET_SHORT: warning(
    'the value of `{{name}}` has fewer than {{min}} characters: reports hide it only where it stands alone',
    'use a longer one',
  ),
  CONFIG_TOKEN_UNSENDABLE: invalid(
    'the token in `{{name}}` contains {{characters}}, which is not allowed in a header',
    'copy it again as one line of printable ASCII, without quotes or a line break at its end',
  ),
  CONFIG_TOKEN_PREFIXED: invalid(
    'the token in `{{name}}` begins with `Bearer `, which is added when it is sent',
    'keep only the text after `Bearer ` in .env',
  ),
  CONFIG_PATTERN_INVALID: invalid(
    '`{{key}}` is not a valid pattern: {{problem}}',
    'use RE2 syntax, for example `{{example}}`; it has no look-around and no backreferences',
  ),
  CONFIG_LEVELS_UNKNOWN: warning(
    'without {{members}} nothing says which lines of the log are errors: checks with `log errors` will be `evidence_unavailable`',
    'add {{example}}, with the values of this log',
  ),
  CONFIG_REFERENCE_INVALID: invalid(
    '`{{key}}` has `{{text}}`, which is not a reference',
    'write `{{reference}}`: letters, digits and underscores between the braces, not beginning with a digit',
  ),
  CONFIG_VARIABLE_UNKNOWN: invalid('`{{name}}` is not in {{file}}', 'add a line `{{name}}=<value>` there{{similar}}'),
  CONFIG_VARIABLE_EMPTY: invalid('`{{name}}` has no value in {{file}}', 'write its value after the `=`'),
  CONFIG_VARIABLE_REFUSED: invalid(
    '`scenarios.variables` lists `{{name}}`, which `{{key}}` uses',
    'remove it from the list: a scenario could read the secret out through an endpoint that echoes; ' +
      'give scenarios a value of their own under another name',
  ),
  CONFIG_VARIABLE_RESERVED: invalid(
    '`scenarios.variables` lists `{{name}}`, which scenarios already have with another meaning',
    'use another name in .env and here',
  ),
  CONFIG_ENV_MISSING: invalid(
    'there is no {{file}}, and `{{key}}` needs `{{name}}` from it',
    'create it, from .env.example where there is one, with a line `{{name}}=<value>`; never commit it',
  ),
  CONFIG_ENV_LINE_INVALID: invalid('{{problem}}', 'write `NAME=value`, one per line; `#` starts a comment'),
  CONFIG_ENV_NAME_DOUBLED: warning('`{{name}}` is already set in line {{line}}; this one wins', 'keep one of the two'),
} as const;
