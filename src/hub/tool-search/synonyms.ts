/**
 * Words that people and tool servers use for the same thing; a line is a group. A word may be in several groups, and two
 * words with a space in between are one entry.
 */
const synonyms = `
add append attach put include insert
add create new make register set_up setup open start generate build prepare submit
delete remove drop erase destroy purge trash wipe get_rid clear discard throw
list show enumerate display which exist all overview
search find query look lookup locate discover seek browse
get read fetch retrieve view show load see inspect open what tell about content
details describe info information about
update edit change modify alter adjust revise patch set
send post publish deliver tell notify
write save store put
move transfer relocate rename
move transition advance
mark modify flag
copy duplicate clone replicate fork
close resolve finish complete done end
cancel abort stop terminate kill end shut_down
pause suspend halt disable
run execute launch trigger invoke call
rerun re_run retry restart again repeat
assign delegate assignee responsible
schedule plan timetable
approve accept confirm agree
reject decline deny refuse
upload import
download export save
merge combine integrate land
comment reply note remark respond answer feedback annotate
message dm chat text say said mention
email mail gmail inbox newsletter
issue ticket bug story defect work_item
task todo reminder action_item
pull_request merge_request pr mr
review feedback
repository repo codebase
project repo
commit revision changeset check_in
commit history log
diff compare difference change
user person people member account teammate colleague profile developer employee who somebody
contact person lead people
team group squad
channel room
thread discussion conversation
emoji reaction react thumb smiley like
page document doc article wiki
file document
content readme text
folder directory dir
tree hierarchy structure nested recursive
child sub subpage nested
database db
database tracker
collection table mongo mongodb
object table view
column field property attribute
row record entry
query sql
choose select pick option
event meeting appointment agenda standup lunch dinner breakfast invitation
schedule book arrange create
cancel delete call_off
attendee guest participant invitee invite
available free busy availability
respond rsvp answer
invoice bill billing
payment charge pay money
balance money fund
refund money_back reimburse
subscription recurring plan membership
customer client buyer
deal opportunity sale sales
contact lead prospect crm
company organization organisation org business firm
coupon discount voucher promo promotion
dispute contested chargeback
error exception crash failure fault problem fail failed failing broken
bug error
stacktrace stack_trace traceback backtrace
log output print printed trace
metric measurement statistic stats timeseries graph chart
alert alarm firing notification
incident outage alert
acknowledge ack
dashboard board
oncall on_call duty rotation shift
override substitute swap take_over cover
deploy deployment release rollout
release version
rollback revert undo
scale replica
image picture photo
screenshot picture capture
website webpage url site web_page link
internet web online google
navigate go visit
click press tap
type enter fill input
dropdown select menu
dialog popup modal prompt alert
wait until
browser tab window
evaluate run script
request traffic http call network
weather rain forecast temperature sunny snow
direction route drive travel
distance far
geocode coordinate latitude longitude gps
local near nearby close restaurant shop
place location address
time clock hour o_clock
timezone time_zone
current now today
number count amount total how_many
size large big
resize smaller larger scale
tag label category
status state progress
status check green
sprint iteration
cycle iteration
milestone goal
worklog hour work time_spent
priority urgency urgent importance
link connect relate relation blocked depend
workflow pipeline ci build
security vulnerability vulnerabilities cve
secret credential password
permission access role share grant
setting config configuration preference variable
memory knowledge remember know memorize
observation fact
forget delete
bucket container
object blob file
function lambda serverless
instance vm virtual_machine machine server ec2
cost spend spent expense billing
dns domain
cache cdn
video recording recorded clip
transcript caption subtitle said
summary summarize overview recap
recent latest newest lately
notification alert unread
favorite favourite bookmark star
subscribe watch follow
presentation slide deck powerpoint
spreadsheet sheet excel workbook
range cell
form survey signup
design figma mockup
color colour font spacing style
documentation doc manual guide reference
library package dependency module
order purchase
product item
inventory stock warehouse left
slow slowest performance latency
cpu memory resource consumption usage
health healthy
plan explain
pod container workload kubernetes k8s
manifest yaml resource
chart helm
cluster kubernetes
stage staged staging
stage add
modified changed uncommitted unstaged dirty status
unstage reset
checkout switch
tree copy_clean
account profile phone
archive label folder
filter rule automatic automatically sort
assigned my plate mine
`;

/** Two words have a space in between. */
export function listSynonymGroups(): readonly (readonly string[])[] {
  return synonyms
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map((entry) => entry.replace('_', ' ')));
}
