/** Tools modelled on widely used MCP servers for offices, data and operations; as in development-tools.ts. */
export const workTools = `
slack
slack_post_message | Post a new message to a Slack channel | channel_id* text*
slack_reply_to_thread | Reply to a specific message thread in Slack | channel_id* thread_ts* text*
slack_add_reaction | Add a reaction emoji to a message | channel_id* timestamp* reaction*
slack_get_channel_history | Get recent messages from a channel | channel_id* limit
slack_get_thread_replies | Get all replies in a message thread | channel_id* thread_ts*
slack_list_channels | List public channels in the workspace with pagination | limit cursor
slack_get_users | Get a list of all users in the workspace with their basic profile information | cursor limit
slack_get_user_profile | Get detailed profile information for a specific user | user_id*
slack_search_messages | Search for messages across the workspace | query* sort count
gmail
send_email | Sends a new email | to* subject* body* cc bcc attachments
draft_email | Draft a new email | to* subject* body* cc bcc
read_email | Retrieves the content of a specific email | messageId*
search_emails | Searches for emails using Gmail search syntax | query* maxResults
delete_email | Permanently deletes an email | messageId*
modify_email | Modifies email labels (move to different folders) | messageId* addLabelIds removeLabelIds
download_attachment | Downloads an email attachment to a specified location | messageId* attachmentId* savePath
create_filter | Creates a new Gmail filter with custom criteria and actions | criteria* action*
calendar
list-events | List events from one or more calendars | calendarId* timeMin timeMax
create-event | Create a new calendar event | calendarId* summary* start* end* attendees location reminders
update-event | Update an existing calendar event | calendarId* eventId* summary start end
delete-event | Delete a calendar event | calendarId* eventId* sendUpdates
get-freebusy | Query free/busy information for calendars | calendars* timeMin* timeMax*
respond-to-event | Respond to a calendar event invitation: accepted, declined or tentative | eventId* response*
list-calendars | List all available calendars |
drive
search_drive_files | Search for files in Google Drive | query* pageSize
get_drive_file_content | Retrieve the content of a Google Drive file by ID | file_id*
create_drive_file | Create a new file in Google Drive | file_name* content folder_id mime_type
share_drive_file | Share a Google Drive file with a user or group | file_id* email* role*
read_sheet_values | Read values from a specific range in a Google Sheet | spreadsheet_id* range_name*
modify_sheet_values | Modify values in a specific range of a Google Sheet: write, update or clear | spreadsheet_id* range_name* values
create_spreadsheet | Create a new Google Spreadsheet | title* sheet_names
create_presentation | Create a new Google Slides presentation | title*
create_doc | Create a new Google Doc and insert initial text | title* content
notion
notion-search | Search across your Notion workspace and connected sources | query* filters
notion-fetch | Retrieve content of a Notion page or database by its URL or ID | id*
notion-create-pages | Creates one or more Notion pages with specified properties and content | pages* parent
notion-update-page | Update a Notion page's properties or content | page_id* command* properties
notion-move-pages | Move one or more Notion pages or databases to a new parent | page_ids* new_parent*
notion-duplicate-page | Duplicate a Notion page within your workspace | page_id*
notion-create-database | Creates a new Notion database with the specified properties | title properties* parent
notion-get-comments | Get all comments of a Notion page | page_id*
notion-get-users | Lists all users in the current workspace with their details | query
confluence
confluence_search | Search Confluence content using simple terms or CQL | query* limit spaces_filter
confluence_get_page | Get content of a specific Confluence page by its ID, or by its title and space key | page_id title space_key
confluence_create_page | Create a new Confluence page | space_key* title* content* parent_id
confluence_get_page_children | Get child pages of a specific Confluence page | parent_id* limit
confluence_add_label | Add label to an existing Confluence page | page_id* name*
confluence_delete_page | Delete an existing Confluence page | page_id*
postgres
query | Run a read-only SQL query | sql*
list_schemas | List all schemas in the database |
list_objects | List objects in a schema: tables, views, sequences, extensions | schema_name* object_type
get_object_details | Show detailed information about a database object: columns, constraints, indexes | schema_name* object_name*
explain_query | Explains the execution plan for a SQL query, showing how the database will execute it and cost estimates | sql* analyze
get_top_queries | Reports the slowest or most resource-intensive queries using data from pg_stat_statements | sort_by limit
analyze_db_health | Analyzes database health: index health, connections, vacuum, buffer cache, replication | health_type
analyze_workload_indexes | Analyze frequently executed queries in the database and recommend optimal indexes | max_index_size_mb
mongodb
find | Run a find query against a MongoDB collection | database* collection* filter projection limit
aggregate | Run an aggregation against a MongoDB collection | database* collection* pipeline*
insert-many | Insert an array of documents into a MongoDB collection | database* collection* documents*
delete-many | Removes all documents that match the filter from a MongoDB collection | database* collection* filter
create-index | Create an index for a collection | database* collection* keys* name
collection-schema | Describe the schema for a collection | database* collection*
kubernetes
pods_list | List all the Kubernetes pods in the current cluster from all namespaces | labelSelector
pods_log | Get the logs of a Kubernetes Pod | name* namespace container tail previous
pods_exec | Execute a command in a Kubernetes Pod | name* namespace command*
pods_delete | Delete a Kubernetes Pod | name* namespace
pods_top | List the resource consumption (CPU and memory) of Kubernetes Pods | namespace name
resources_create_or_update | Create or update a Kubernetes resource by providing a YAML or JSON representation | resource*
resources_scale | Get or update the scale of a Kubernetes resource, such as the replicas of a Deployment | apiVersion* kind* name* scale
events_list | List all the Kubernetes events in the current cluster | namespace
namespaces_list | List all the Kubernetes namespaces in the current cluster |
helm_install | Install a Helm chart in the current or provided namespace | chart* values name namespace
helm_uninstall | Uninstall a Helm release | name* namespace
nodes_top | List the resource consumption of the nodes of the cluster | name
grafana
search_dashboards | Search for Grafana dashboards by a query string | query*
get_dashboard_by_uid | Retrieves the complete dashboard, including panels, variables, and settings | uid*
update_dashboard | Create or update a dashboard | dashboard* folderUid message
query_prometheus | Query Prometheus using a PromQL expression | datasourceUid* expr* startTime endTime stepSeconds
list_prometheus_metric_names | List metric names in a Prometheus datasource | datasourceUid* regex
query_loki_logs | Executes a LogQL query against a Loki datasource to retrieve log entries | datasourceUid* logql* startRfc3339 limit
list_alert_rules | Lists Grafana alert rules, returning a summary including current state | label_selectors limit
list_datasources | List available Grafana datasources | type
list_oncall_schedules | List Grafana OnCall schedules | teamId scheduleId
get_current_oncall_users | Get the list of users currently on-call for a specific Grafana OnCall schedule | scheduleId*
create_incident | Create a new Grafana incident | title* severity* status labels
render_panel | Render a Grafana dashboard panel as a PNG image | dashboardUid* panelId timeRange
pagerduty
list_incidents | List PagerDuty incidents with filters | status since until urgencies
manage_incidents | Acknowledge, resolve, change urgency of or reassign one or more incidents | incident_ids* status urgency assignement
add_note_to_incident | Add a note to an incident | incident_id* note*
list_services | List PagerDuty services | query teams_ids
create_schedule_override | Create an override for a schedule | schedule_id* user_id* start* end*
stripe
create_customer | Create a new Stripe customer | name* email
list_customers | Fetch a list of customers from Stripe | limit email
create_product | Create a new product in Stripe | name* description
create_price | Create a price in Stripe for a product | product* unit_amount* currency*
create_payment_link | Create a payment link in Stripe | price* quantity*
create_invoice | Create an invoice in Stripe | customer* days_until_due
create_refund | Refund a payment intent in Stripe | payment_intent* amount reason
cancel_subscription | Cancel a subscription in Stripe | subscription*
list_subscriptions | List all subscriptions in Stripe | customer status
retrieve_balance | Retrieve the balance of the Stripe account |
list_disputes | Fetch a list of disputes in Stripe | charge payment_intent
create_coupon | Create a coupon in Stripe | name* percent_off amount_off duration
hubspot
hubspot-create-contact | Create a new contact in HubSpot | email* firstname lastname company
hubspot-search-contacts | Search HubSpot contacts with filters | query* properties
hubspot-create-deal | Create a new deal in the HubSpot pipeline | dealname* amount stage closedate
hubspot-list-deals | List deals with their stage and amount | stage limit
hubspot-create-company | Create a new company in HubSpot | name* domain industry
hubspot-create-note | Log a note on a HubSpot record | object_id* body*
aws
s3_list_buckets | List S3 buckets of the account | region
s3_get_object | Retrieve an object from S3 | bucket* key*
s3_put_object | Put an object into an S3 bucket | bucket* key* body*
lambda_invoke | Invoke a Lambda function with a payload | function_name* payload
lambda_list_functions | List Lambda functions | region
ec2_describe_instances | Describe EC2 instances with their state and type | instance_ids filters region
ec2_stop_instances | Stop EC2 instances | instance_ids*
cost_explorer_get_cost | Get AWS cost and usage data for a period, grouped by service | start* end* group_by granularity
cloudwatch_get_metric_data | Get CloudWatch metric data | namespace* metric_name* start end
secrets_manager_get_secret | Get the value of a secret from Secrets Manager | secret_id*
cloudflare
dns_list_records | List the DNS records of a zone | zone_id* type name
dns_create_record | Create a DNS record in a zone | zone_id* type* name* content* ttl proxied
purge_cache | Purge the cached files of a zone | zone_id* files purge_everything
workers_list | List all Workers in your account |
kv_namespace_create | Create a new KV namespace | title*
web
brave_web_search | Performs web searches with comprehensive result types and advanced filtering | query* count offset
brave_image_search | Searches the web for images | query* count
brave_news_search | Searches for news articles with freshness controls | query* freshness
brave_local_search | Searches for local businesses and places | query* count
fetch | Fetches a URL from the internet and extracts its contents as markdown | url* max_length start_index raw
firecrawl_crawl | Starts an asynchronous crawl job on a website and extracts content from all pages | url* maxDepth limit
memory
create_entities | Create multiple new entities in the knowledge graph | entities*
add_observations | Add new observations to existing entities in the knowledge graph | observations*
create_relations | Create multiple new relations between entities in the knowledge graph | relations*
search_nodes | Search for nodes in the knowledge graph based on a query | query*
delete_entities | Delete multiple entities and their associated relations from the knowledge graph | entityNames*
read_graph | Read the entire knowledge graph |
maps
maps_geocode | Convert an address into geographic coordinates | address*
maps_directions | Get directions between two points | origin* destination* mode
maps_distance_matrix | Calculate travel distance and time for multiple origins and destinations | origins* destinations* mode
maps_place_details | Get detailed information about a specific place | place_id*
maps_elevation | Get elevation data for locations | locations*
time
get_current_time | Get current time in a specific timezone | timezone*
convert_time | Convert time between timezones | source_timezone* time* target_timezone*
weather
get_forecast | Get weather forecast for a location | latitude* longitude*
get_alerts | Get weather alerts for a US state | state*
zoom
create_meeting | Create a Zoom meeting | topic* start_time duration
get_recording_transcript | Get the transcript of a cloud recording | meeting_id*
list_recordings | List cloud recordings of a user | user_id from to
shopify
get-orders | Get orders with optional filtering by status | status limit
update-product | Update title, description, price or tags of a product | productId* title price tags
get-inventory-levels | Get stock quantities of products by location | productId locationId
`;
