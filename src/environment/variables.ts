/** Environment variables that are read directly. Those that stand in for a flag are declared with the flag. */
export type EnvironmentVariable = { readonly name: string; readonly meaning: string; readonly isSecret?: true };

export const variablesWithoutFlag: readonly EnvironmentVariable[] = [
  {
    name: 'VP_TOKEN',
    meaning: 'API key or other credential for the control plane, in place of `vp login`',
    isSecret: true,
  },
  { name: 'VP_EXECUTOR_KEY', meaning: 'key of the executor, in place of `--key-file`', isSecret: true },
  {
    name: 'VP_MASTER_KEY',
    meaning: 'master key of the store, 32 bytes in base64, in place of `master.key`',
    isSecret: true,
  },
  {
    name: 'VP_DATABASE, VP_DATABASE_DIRECT',
    meaning: 'URL of a store on PostgreSQL, in place of `--database` and `--database-direct`; it may have a password',
    isSecret: true,
  },
  {
    name: 'VP_SSO_CLIENT_SECRET',
    meaning: 'client secret for single sign-on, in place of `--sso-secret-file`',
    isSecret: true,
  },
  {
    name: 'VP_APPROVAL_WEBHOOK_SECRET',
    meaning: 'secret that signs the messages of `--approval-webhook`',
    isSecret: true,
  },
  {
    name: 'VP_CONNECTION_SECRET',
    meaning: 'credential of a connection for `vp hubs connect` and `vp hubs change`',
    isSecret: true,
  },
  {
    name: 'VP_CHANNEL_SECRET',
    meaning: 'URL or password of a channel for `vp notifications add` and `vp notifications edit`',
    isSecret: true,
  },
  { name: 'GITHUB_TOKEN', meaning: 'token of the job, for `vp run --ci github --comment`', isSecret: true },
  { name: 'GITLAB_TOKEN', meaning: 'access token for `vp run --ci gitlab --comment`', isSecret: true },
  {
    name: 'GITHUB_STEP_SUMMARY, GITHUB_WORKSPACE, GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_EVENT_PATH, GITHUB_WORKFLOW, GITHUB_JOB',
    meaning: 'set by GitHub Actions; `vp run --ci github` and report files read them',
  },
  {
    name: 'CI_PROJECT_DIR, CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID, CI_JOB_NAME',
    meaning: 'set by GitLab CI; `vp run --ci gitlab` and report files read them',
  },
  {
    name: 'GITHUB_ACTIONS, GITHUB_HEAD_REF, GITHUB_REF_NAME, GITHUB_SHA, GITHUB_ACTOR, GITHUB_SERVER_URL, GITHUB_RUN_ID',
    meaning: 'branch, commit, author, job and pipeline in GitHub Actions, for `vp run`',
  },
  {
    name: 'GITLAB_CI, CI_MERGE_REQUEST_SOURCE_BRANCH_NAME, CI_COMMIT_REF_NAME, CI_COMMIT_SHA, CI_COMMIT_AUTHOR, GITLAB_USER_NAME, CI_JOB_URL, CI_PIPELINE_ID',
    meaning: 'the same in GitLab CI',
  },
  {
    name: 'BUILDKITE, BUILDKITE_BRANCH, BUILDKITE_COMMIT, BUILDKITE_BUILD_AUTHOR, BUILDKITE_BUILD_CREATOR, BUILDKITE_PIPELINE_SLUG, BUILDKITE_LABEL, BUILDKITE_BUILD_URL, BUILDKITE_BUILD_ID',
    meaning: 'the same in Buildkite',
  },
  {
    name: 'CIRCLECI, CIRCLE_BRANCH, CIRCLE_SHA1, CIRCLE_USERNAME, CIRCLE_JOB, CIRCLE_BUILD_URL, CIRCLE_WORKFLOW_ID',
    meaning: 'the same in CircleCI',
  },
  {
    name: 'TF_BUILD, SYSTEM_PULLREQUEST_SOURCEBRANCH, BUILD_SOURCEBRANCH, BUILD_SOURCEVERSION, BUILD_REQUESTEDFOR, BUILD_DEFINITIONNAME, SYSTEM_JOBDISPLAYNAME, SYSTEM_COLLECTIONURI, SYSTEM_TEAMPROJECT, BUILD_BUILDID',
    meaning: 'the same in Azure Pipelines',
  },
  {
    name: 'JENKINS_URL, CHANGE_BRANCH, BRANCH_NAME, GIT_BRANCH, GIT_COMMIT, CHANGE_AUTHOR_DISPLAY_NAME, GIT_AUTHOR_NAME, JOB_NAME, BUILD_URL, BUILD_TAG',
    meaning: 'the same in Jenkins',
  },
  { name: 'SSH_AUTH_SOCK', meaning: 'socket of the agent that signs with `--audit-key ssh-agent:<file>`' },
  {
    name: 'PLATFORM_AUTHOR_TOKEN',
    meaning: 'credential for the scenario import of `vp onboard`, in place of the sign-in',
    isSecret: true,
  },
  { name: 'VP_JSON', meaning: '`1` writes JSON, as `--json` does' },
  { name: 'VP_LOG_LEVEL', meaning: '`error`, `warn`, `info` or `debug`, as `--log-level`' },
  { name: 'VP_DATA', meaning: 'data folder, as `--data`' },
  { name: 'XDG_DATA_HOME', meaning: 'parent of the data folder on Linux' },
  { name: 'XDG_CONFIG_HOME', meaning: 'parent of the folder with credentials of control planes on Linux' },
  { name: 'XDG_CACHE_HOME', meaning: 'parent of the cache folder on Linux' },
  { name: 'LOCALAPPDATA', meaning: 'parent of all three on Windows' },
  {
    name: 'HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY',
    meaning: 'proxy for calls to control planes and upstream servers, also in lower case; never for calls to a target',
  },
  {
    name: 'PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSFILE, PGSERVICE, PGSERVICEFILE, PGSSLMODE, PGSSLROOTCERT, PGSSLCERT, PGSSLKEY, PGCONNECT_TIMEOUT, PGAPPNAME, PGOPTIONS',
    meaning: 'what the URL of a store on PostgreSQL does not say, as in libpq',
  },
  { name: 'PGPASSWORD', meaning: 'password of a store on PostgreSQL, as in libpq', isSecret: true },
  { name: 'DOCKER_HOST', meaning: 'socket of the container engine (`unix:///…`)' },
  { name: 'NO_COLOR, FORCE_COLOR, TERM, COLUMNS', meaning: 'colours and width of terminal output' },
  { name: 'CI', meaning: 'disables interactive output' },
  { name: 'DISPLAY, WAYLAND_DISPLAY', meaning: 'decide on Linux whether a browser can be opened' },
  { name: 'PATH', meaning: 'where `docker`, `podman` and `git` are found' },
];
