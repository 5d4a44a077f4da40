/** Tools modelled on widely used MCP servers for development. A line: name | description | arguments, required ones with *. */
export const developmentTools = `
github
create_issue | Create a new issue in a GitHub repository | owner* repo* title* body labels assignees milestone
get_issue | Get details of a specific issue in a GitHub repository | owner* repo* issue_number*
list_issues | List issues in a GitHub repository with filtering options | owner* repo* state labels sort direction since page
update_issue | Update an existing issue in a GitHub repository | owner* repo* issue_number* title body state labels
add_issue_comment | Add a comment to an existing issue | owner* repo* issue_number* body*
search_issues | Search for issues and pull requests across GitHub repositories | q* sort order page
create_pull_request | Create a new pull request in a GitHub repository | owner* repo* title* head* base* body draft
get_pull_request | Get details of a specific pull request | owner* repo* pull_number*
list_pull_requests | List and filter repository pull requests | owner* repo* state head base sort
merge_pull_request | Merge a pull request | owner* repo* pull_number* merge_method commit_title
get_pull_request_files | Get the list of files changed in a pull request | owner* repo* pull_number*
get_pull_request_status | Get the combined status of all status checks for a pull request | owner* repo* pull_number*
create_pull_request_review | Create a review on a pull request | owner* repo* pull_number* body event comments
update_pull_request_branch | Update a pull request branch with the latest changes from the base branch | owner* repo* pull_number*
create_repository | Create a new GitHub repository in your account | name* description private autoInit
search_repositories | Search for GitHub repositories | query* page perPage
fork_repository | Fork a GitHub repository to your account or specified organization | owner* repo* organization
get_file_contents | Get the contents of a file or directory from a GitHub repository | owner* repo* path* branch
create_or_update_file | Create or update a single file in a GitHub repository | owner* repo* path* content* message* branch* sha
push_files | Push multiple files to a GitHub repository in a single commit | owner* repo* branch* files* message*
create_branch | Create a new branch in a GitHub repository | owner* repo* branch* from_branch
list_branches | List branches in a GitHub repository | owner* repo* page
list_commits | Get list of commits of a branch in a GitHub repository | owner* repo* sha page
search_code | Search for code across GitHub repositories | q* order page
search_users | Search for users on GitHub | q* sort order
list_workflow_runs | List workflow runs for a specific workflow | owner* repo* workflow_id* status
rerun_failed_jobs | Re-run only the failed jobs in a workflow run | owner* repo* run_id*
get_job_logs | Download logs for a specific workflow job | owner* repo* job_id* tail_lines
list_releases | List releases in a GitHub repository | owner* repo* page
list_code_scanning_alerts | List code scanning alerts in a GitHub repository | owner* repo* severity state
list_notifications | Lists all GitHub notifications for the authenticated user | filter since before
gitlab
create_merge_request | Create a new merge request in a GitLab project | project_id* title* source_branch* target_branch* description draft
list_merge_requests | List merge requests in a GitLab project with filtering options | project_id* state author_username
get_merge_request_diffs | Get the changes and diffs of a merge request | project_id* merge_request_iid*
create_merge_request_note | Add a new note to a merge request thread | project_id* merge_request_iid* body*
list_pipelines | List pipelines in a GitLab project with filtering options | project_id* status ref
retry_pipeline | Retry a failed or canceled pipeline | project_id* pipeline_id*
cancel_pipeline | Cancel a running pipeline | project_id* pipeline_id*
get_pipeline_job_output | Get the output or trace of a GitLab pipeline job | project_id* job_id*
list_wiki_pages | List wiki pages in a GitLab project | project_id*
create_wiki_page | Create a new wiki page in a GitLab project | project_id* title* content*
list_milestones | List milestones in a GitLab project | project_id* state
jira
jira_create_issue | Create a new Jira issue with optional Epic link or parent for subtasks | project_key* summary* issue_type* assignee description components
jira_get_issue | Get details of a specific Jira issue including its Epic links and relationship information | issue_key* fields expand
jira_search | Search Jira issues using JQL (Jira Query Language) | jql* fields limit
jira_update_issue | Update an existing Jira issue including changing status, adding Epic links, updating fields | issue_key* fields*
jira_delete_issue | Delete an existing Jira issue | issue_key*
jira_add_comment | Add a comment to a Jira issue | issue_key* comment*
jira_transition_issue | Transition a Jira issue to a new status | issue_key* transition_id* comment
jira_get_transitions | Get available status transitions for a Jira issue | issue_key*
jira_add_worklog | Add a worklog entry to a Jira issue | issue_key* time_spent* comment started
jira_get_agile_boards | Get jira agile boards by name, project key, or type | board_name project_key board_type
jira_get_sprints_from_board | Get jira sprints from board by state | board_id* state
jira_create_sprint | Create Jira sprint for a board | board_id* sprint_name* start_date* end_date* goal
jira_link_issues | Create a link between two Jira issues | link_type* inward_issue_key* outward_issue_key*
linear
create_project | Create a new project in Linear | name* team* summary startDate targetDate
list_cycles | Retrieve cycles for a specific Linear team | teamId* type
list_my_issues | List issues assigned to the current user | limit orderBy
list_teams | List teams in the user's Linear workspace | query limit
sentry
find_issues | Find issues in Sentry, grouped errors of an application | organizationSlug* projectSlug query sortBy
get_issue_details | Retrieve issue details from Sentry including the stacktrace | issueId* organizationSlug
get_trace_details | Get detailed information about a specific Sentry trace by ID | organizationSlug* traceId*
create_dsn | Create an additional DSN for an existing project | organizationSlug* projectSlug* name*
find_releases | Find releases in Sentry and when they were deployed | organizationSlug* projectSlug query
analyze_issue_with_seer | Use Seer to analyze production errors and get root cause analysis with specific code fixes | issueId* instruction
filesystem
read_text_file | Read the complete contents of a file from the file system as text | path* head tail
read_media_file | Read an image or audio file. Returns the base64 encoded data and MIME type | path*
read_multiple_files | Read the contents of multiple files simultaneously | paths*
write_file | Create a new file or completely overwrite an existing file with new content | path* content*
edit_file | Make line-based edits to a text file. Returns a git-style diff showing the changes made | path* edits* dryRun
create_directory | Create a new directory or ensure a directory exists | path*
list_directory | Get a detailed listing of all files and directories in a specified path | path*
directory_tree | Get a recursive tree view of files and directories as a JSON structure | path*
move_file | Move or rename files and directories | source* destination*
search_files | Recursively search for files and directories matching a pattern | path* pattern* excludePatterns
get_file_info | Retrieve detailed metadata about a file or directory: size, creation time, permissions | path*
git
git_status | Shows the working tree status | repo_path*
git_diff_unstaged | Shows changes in the working directory that are not yet staged | repo_path* context_lines
git_diff_staged | Shows changes that are staged for commit | repo_path* context_lines
git_commit | Records changes to the repository | repo_path* message*
git_add | Adds file contents to the staging area | repo_path* files*
git_reset | Unstages all staged changes | repo_path*
git_log | Shows the commit logs | repo_path* max_count start_timestamp
git_checkout | Switches branches | repo_path* branch_name*
playwright
browser_navigate | Navigate to a URL | url*
browser_click | Perform click on a web page | element* ref* doubleClick button
browser_type | Type text into editable element | element* ref* text* submit slowly
browser_fill_form | Fill multiple form fields | fields*
browser_take_screenshot | Take a screenshot of the current page | type filename fullPage
browser_snapshot | Capture accessibility snapshot of the current page, this is better than screenshot | filename
browser_console_messages | Returns all console messages | level*
browser_network_requests | Returns all network requests since loading the page | includeStatic
browser_evaluate | Evaluate JavaScript expression on page or element | function* element
browser_select_option | Select an option in a dropdown | element* ref* values*
browser_file_upload | Upload one or multiple files | paths
browser_handle_dialog | Handle a dialog | accept* promptText
browser_hover | Hover over element on page | element* ref*
browser_press_key | Press a key on the keyboard | key*
browser_resize | Resize the browser window | width* height*
browser_tabs | List, create, close, or select a browser tab | action* index
browser_wait_for | Wait for text to appear or disappear or a specified time to pass | time text textGone
browser_navigate_back | Go back to the previous page in the history |
figma
get_design_context | Generates UI code for a given node or the currently selected node in Figma | nodeId fileKey
get_variable_defs | Get variable definitions for a given node, such as colors, fonts, sizes and spacings | nodeId fileKey
get_metadata | Get metadata for a node or page in the Figma file in XML format: layer types, names, positions | nodeId fileKey
context7
resolve-library-id | Resolves a package name to a Context7-compatible library ID | libraryName*
get-library-docs | Fetches up-to-date documentation for a library | context7CompatibleLibraryID* topic tokens
`;
