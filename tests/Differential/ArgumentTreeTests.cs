using System;
using System.Linq;
using System.Text;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential;

/// <summary>
/// The trees of arguments that Redis 8 documents for commands whose arguments 7.0 names or groups in another
/// way: the oracle does not know them, so that they stand here.
/// </summary>
public sealed class ArgumentTreeTests
{
    // Name (and what a manual prints, where that is another), type, number of the key spec, token, optional,
    // multiple, token before each, since when, members.
    private const string Trees = """
        bitcount = key:key0 range:block?{start:integer end:integer unit:oneof?@7.0.0{byte:token=BYTE
            bit:token=BIT}}
        bitfield = key:key0 operation:oneof?*{get-block:block=GET{encoding:string offset:integer}
            write:block{overflow-block:oneof=OVERFLOW?{wrap:token=WRAP sat:token=SAT fail:token=FAIL}
            write-operation:oneof{set-block:block=SET{encoding:string offset:integer value:integer}
            incrby-block:block=INCRBY{encoding:string offset:integer increment:integer}}}}
        bitfield_ro = key:key0 get-block:block=GET?*+{encoding:string offset:integer}
        bitop = operation:oneof{and:token=AND or:token=OR xor:token=XOR not:token=NOT diff:token=DIFF
            diff1:token=DIFF1 andor:token=ANDOR one:token=ONE} destkey:key0 key:key1*
        bitpos = key:key0 bit:integer range:block?{start:integer end-unit-block:block?{end:integer
            unit:oneof?@7.0.0{byte:token=BYTE bit:token=BIT}}}
        client|reply = action:oneof{on:token=ON off:token=OFF skip:token=SKIP}
        client|unblock = client-id:integer unblock-type:oneof?{timeout:token=TIMEOUT error:token=ERROR}
        cluster|addslotsrange = range:block*{start-slot:integer end-slot:integer}
        cluster|meet = ip:string port:integer cluster-bus-port:integer?@4.0.0
        cluster|migrateslots = migration:block*{slotsrange:block=SLOTSRANGE*{start-slot:integer
            end-slot:integer} node-id:string=NODE}
        cluster|migration = subcommand:oneof{import:block=IMPORT*{start-slot:integer end-slot:integer}
            cancel:oneof=CANCEL{task-id:string=ID all:token=ALL} status:oneof=STATUS{task-id:string=ID?
            all:token=ALL?}}
        cluster|reset = reset-type:oneof?{hard:token=HARD soft:token=SOFT}
        cluster|setslot = slot:integer subcommand:oneof{importing/node-id:string=IMPORTING
            migrating/node-id:string=MIGRATING node/node-id:string=NODE stable:token=STABLE}
        command|getkeys = command:string arg:string?*
        config|get = parameter:string*
        config|set = data:block*{parameter:string value:string}
        delex = key:key0 condition:oneof?{ifeq-value:string=IFEQ ifne-value:string=IFNE
            ifdeq-digest:integer=IFDEQ ifdne-digest:integer=IFDNE}
        flushall = flush-type:oneof?{async:token=ASYNC@4.0.0 sync:token=SYNC@6.2.0}
        geoadd = key:key0 condition:oneof?@6.2.0{nx:token=NX xx:token=XX} change:token=CH?@6.2.0
            data:block*{longitude:double latitude:double member:string}
        geohash = key:key0 member:string?*
        georadius = key:key0 longitude:double latitude:double radius:double unit:oneof{m:token=M km:token=KM
            ft:token=FT mi:token=MI} withcoord:token=WITHCOORD? withdist:token=WITHDIST?
            withhash:token=WITHHASH? count-block:block?{count:integer=COUNT any:token=ANY?@6.2.0}
            order:oneof?{asc:token=ASC desc:token=DESC} store:oneof?{storekey/key:key1=STORE
            storedistkey/key:key2=STOREDIST}
        geosearchstore = destination:key0 source:key1 from:oneof{member:string=FROMMEMBER
            fromlonlat:block=FROMLONLAT{longitude:double latitude:double}}
            by:oneof{circle:block{radius:double=BYRADIUS unit:oneof{m:token=M km:token=KM ft:token=FT
            mi:token=MI}} box:block{width:double=BYBOX height:double unit:oneof{m:token=M km:token=KM
            ft:token=FT mi:token=MI}} polygon:block@9.0.0{num-vertices:integer=BYPOLYGON
            coordinates:block*{longitude:double latitude:double}}} order:oneof?{asc:token=ASC
            desc:token=DESC} count-block:block?{count:integer=COUNT any:token=ANY?}
            storedist:token=STOREDIST?
        hello = arguments:block?{protover:integer auth:block=AUTH?{username:string password:string}
            clientname:string=SETNAME?}
        hset = key:key0 data:block*{field:string value:string}
        hscan = key:key0 cursor:integer pattern:pattern=MATCH? count:integer=COUNT? novalues:token=NOVALUES?
        lcs = key1:key0 key2:key0 len:token=LEN? idx:token=IDX? min-match-len:integer=MINMATCHLEN?
            withmatchlen:token=WITHMATCHLEN?
        module|loadex = path:string configs:block=CONFIG?*+{name:string value:string} args:string=ARGS?*
        mset = data:block*{key:key0 value:string}
        pfmerge = destkey:key0 sourcekey:key1?*
        psubscribe = pattern:pattern*
        set = key:key0 value:string condition:oneof?@2.6.12{nx:token=NX xx:token=XX
            ifeq-value:string=IFEQ@8.4.0 ifne-value:string=IFNE@8.4.0 ifdeq-digest:integer=IFDEQ@8.4.0
            ifdne-digest:integer=IFDNE@8.4.0} get:token=GET?@6.2.0
            expiration:oneof?{seconds:integer=EX@2.6.12 milliseconds:integer=PX@2.6.12
            unix-time-seconds:time=EXAT@6.2.0 unix-time-milliseconds:time=PXAT@6.2.0
            keepttl:token=KEEPTTL@6.0.0}
        sort = key:key0 by-pattern/pattern:pattern1=BY? limit:block=LIMIT?{offset:integer count:integer}
            get-pattern/pattern:pattern1=GET?*+ order:oneof?{asc:token=ASC desc:token=DESC}
            sorting:token=ALPHA? destination:key2=STORE?
        xadd = key:key0 nomkstream:token=NOMKSTREAM?@6.2.0 condition:oneof?{keepref:token=KEEPREF
            delref:token=DELREF acked:token=ACKED}
            idmp:oneof?{idmpauto-with-pid:block{idmpauto-token:token=IDMPAUTO pid:string}
            idmp-with-pid-iid:block{idmp-token:token=IDMP pid:string iid:string}}
            trim:block?{strategy:oneof{maxlen:token=MAXLEN minid:token=MINID@6.2.0}
            operator:oneof?{equal:token== approximately:token=~} threshold:string
            count:integer=LIMIT?@6.2.0} id-selector:oneof{auto-id:token=* id:string}
            data:block*{field:string value:string}
        xcfgset = key:key0 idmp-duration-block:block?{idmp-duration-token:token=IDMP-DURATION
            duration:integer} idmp-maxsize-block:block?{idmp-maxsize-token:token=IDMP-MAXSIZE
            maxsize:integer}
        xclaim = key:key0 group:string consumer:string min-idle-time:string id:string* ms:integer=IDLE?
            unix-time-milliseconds:time=TIME? count:integer=RETRYCOUNT? force:token=FORCE?
            justid:token=JUSTID? lastid:string=LASTID?
        xgroup|create = key:key0 group:string id-selector:oneof{id:string new-id:token=$}
            mkstream:token=MKSTREAM? entriesread/entries-read:integer=ENTRIESREAD?
        xgroup|createconsumer = key:key0 group:string consumer:string
        xinfo|consumers = key:key0 group:string
        xinfo|stream = key:key0 full-block:block?{full:token=FULL count:integer=COUNT?}
        xreadgroup = group-block:block=GROUP{group:string consumer:string} count:integer=COUNT?
            milliseconds:integer=BLOCK? min-idle-time:integer=CLAIM? noack:token=NOACK?
            streams:block=STREAMS{key:key0* id:string*}
        xsetid = key:key0 last-id:string entries-added:integer=ENTRIESADDED?@7.0.0
            max-deleted-id:string=MAXDELETEDID?@7.0.0
        xtrim = key:key0 trim:block{strategy:oneof{maxlen:token=MAXLEN minid:token=MINID@6.2.0}
            operator:oneof?{equal:token== approximately:token=~} threshold:string count:integer=LIMIT?@6.2.0
            condition:oneof?{keepref:token=KEEPREF delref:token=DELREF acked:token=ACKED}}
        zadd = key:key0 condition:oneof?@3.0.2{nx:token=NX xx:token=XX} comparison:oneof?@6.2.0{gt:token=GT
            lt:token=LT} change:token=CH?@3.0.2 increment:token=INCR?@3.0.2 data:block*{score:double
            member:string}
        zrange = key:key0 start:string stop:string sortby:oneof?@6.2.0{byscore:token=BYSCORE
            bylex:token=BYLEX} rev:token=REV?@6.2.0 limit:block=LIMIT?@6.2.0{offset:integer count:integer}
            withscores:token=WITHSCORES?
        zrangebyscore = key:key0 min:double max:double withscores:token=WITHSCORES?@2.0.0
            limit:block=LIMIT?{offset:integer count:integer}
        zrangestore = dst:key0 src:key1 min:string max:string sortby:oneof?{byscore:token=BYSCORE
            bylex:token=BYLEX} rev:token=REV? limit:block=LIMIT?{offset:integer count:integer}
        zrank = key:key0 member:string withscore:token=WITHSCORE?
        """;

    [Fact]
    public void ArgumentsAreNamedAndGroupedAsInRedis8()
    {
        using var server = new OwnServer();
        RespClient client = server.Connect(protocol: 3);
        string text = Trees.ReplaceLineEndings("\n");
        string[] trees = text.Replace("\n    ", " ", StringComparison.Ordinal).Split('\n');
        foreach (string tree in trees)
        {
            string name = tree.Split(' ')[0];
            RespValue docs = client.Call("COMMAND", "DOCS", name.Split('|')[0]).Items[1];
            if (name.Contains('|'))
                docs = docs["subcommands"]![name]!;
            Assert.Equal(tree, $"{name} = {List(docs["arguments"]!)}");
        }
    }

    private static string List(RespValue arguments) => string.Join(' ', arguments.Items.Select(Argument));

    private static string Argument(RespValue argument)
    {
        var text = new StringBuilder(argument["name"]!.Text);
        if (argument["display_text"] is { } display && display.Text != argument["name"]!.Text)
            text.Append('/').Append(display.Text);
        string type = argument["type"]!.Text;
        text.Append(':').Append(type == "pure-token" ? "token" : type == "unix-time" ? "time" : type);
        text.Append(argument["key_spec_index"]?.Text);
        if (argument["token"] is { } token)
            text.Append('=').Append(token.Text);
        string[] flags = [.. argument["flags"]?.Items.Select(static flag => flag.Text) ?? []];
        text.Append(flags.Contains("optional") ? "?" : "").Append(flags.Contains("multiple") ? "*" : "")
            .Append(flags.Contains("multiple_token") ? "+" : "");
        if (argument["since"] is { } since)
            text.Append('@').Append(since.Text);
        if (argument["arguments"] is { } members)
            text.Append('{').Append(List(members)).Append('}');
        return text.ToString();
    }
}
