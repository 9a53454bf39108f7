using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Tests.Differential.Resp;

/// <summary>
/// What <see cref="RawReplyTests"/> send. Words stand between spaces, '' is an empty one; of a line that
/// begins with a question mark only the shape of the reply is compared.
/// </summary>
internal static class RawReplyScripts
{
    /// <summary>Lines that get one reply or more each, in order, by subject.</summary>
    public static IReadOnlyDictionary<string, string[]> All { get; } = new Dictionary<string, string[]>
    {
        ["acl"] =
        [
            "ACL", "ACL nosuch", "ACL WHOAMI", "ACL WHOAMI x", "ACL USERS", "ACL LIST", "ACL GETUSER none",
            "ACL SETUSER", "ACL SETUSER u", "ACL GETUSER u", "ACL SETUSER u on >secret ~a* %R~b*",
            "ACL SETUSER u +@string -set (+@all ~c*) &ch*", "ACL GETUSER u", "ACL LIST", "ACL USERS",
            "ACL SETUSER u +nosuch", "ACL SETUSER u +@nosuch", "ACL SETUSER u x", "ACL SETUSER u <none",
            "ACL SETUSER u %X~a", "ACL SETUSER u (+get", "ACL SETUSER u #12", "ACL SETUSER u allkeys ~a",
            "ACL DRYRUN u get a1", "ACL DRYRUN u get x", "ACL DRYRUN u set a1 v", "ACL DRYRUN u set c1 v",
            "ACL DRYRUN u flushall", "ACL DRYRUN none get a", "ACL DRYRUN u nosuch", "ACL DRYRUN u get",
            "ACL CAT nosuch", "?ACL CAT", "?ACL GENPASS", "?ACL GENPASS 5", "ACL GENPASS 0",
            "ACL GENPASS x", "ACL GENPASS 4097", "ACL GENPASS -1", "ACL GENPASS 5 6", "ACL LOG",
            "ACL LOG -1", "ACL LOG 1 2", "ACL LOG RESET", "ACL LOG x", "ACL LOG 1", "ACL LOAD", "ACL SAVE",
            "ACL DELUSER none", "ACL DELUSER u none", "ACL DELUSER default", "ACL DELUSER", "ACL LIST",
        ],
        ["tracking"] =
        [
            "CLIENT TRACKINGINFO", "CLIENT GETREDIR", "CLIENT CACHING YES", "CLIENT TRACKING",
            "CLIENT TRACKING x", "CLIENT TRACKING ON BCAST OPTIN", "CLIENT TRACKING ON OPTIN OPTOUT",
            "CLIENT TRACKING ON PREFIX a", "CLIENT TRACKING ON REDIRECT x",
            "CLIENT TRACKING ON REDIRECT 9999", "CLIENT TRACKING ON REDIRECT",
            "CLIENT TRACKING ON BCAST PREFIX ab PREFIX a", "CLIENT TRACKING ON BCAST PREFIX ab PREFIX ab",
            "CLIENT TRACKING ON other", "CLIENT TRACKING x other", "CLIENT TRACKING ON",
            "CLIENT TRACKING ON", "CLIENT TRACKINGINFO", "CLIENT GETREDIR", "CLIENT CACHING YES",
            "CLIENT TRACKING ON BCAST", "SET k v", "GET k", "SET k w", "SET k x", "MGET k l",
            "MSET k 1 l 2", "GET none", "SET none 1", "GET k", "GET l", "MULTI", "SET k 2", "GET k",
            "SET l 3", "DEL l", "EXEC", "SET k 3", "GET k", "EXPIRE k 100", "GET k", "PERSIST k", "GET k",
            "GETDEL k", "RPUSH r a b", "LRANGE r 0 -1", "LPOP r", "LPOP r", "GET k",
            "EVAL return{redis.call('set','k','1'),redis.call('get','k')} 1 k", "SET k 2", "TYPE k",
            "DEL k", "EXISTS a b", "RENAME none x", "SET a 1", "COPY a b", "TTL a", "RENAME a b", "GET b",
            "FLUSHALL", "GET b", "FLUSHDB", "SET b 1", "XADD s 1-1 f v", "XREAD STREAMS s 0",
            "XGROUP CREATE s g 0", "XADD s 2-1 f v", "GET q", "SELECT 1", "SET q 1", "SELECT 0",
            "CLIENT TRACKING ON NOLOOP", "GET k", "SET k 1", "GET k", "CLIENT TRACKINGINFO",
            "CLIENT TRACKING OFF", "CLIENT TRACKINGINFO", "SET k 2", "CLIENT TRACKING ON OPTIN",
            "CLIENT TRACKING ON OPTOUT", "CLIENT CACHING NO", "CLIENT CACHING x", "GET k", "SET k 3",
            "CLIENT CACHING YES", "CLIENT TRACKINGINFO", "GET k", "CLIENT TRACKINGINFO", "SET k 4",
            "CLIENT CACHING YES", "MULTI", "GET k", "GET l", "EXEC", "SET k 5", "SET l 5",
            "CLIENT TRACKING OFF", "CLIENT TRACKING ON OPTOUT", "CLIENT CACHING YES", "CLIENT CACHING NO",
            "CLIENT TRACKINGINFO", "GET k", "SET k 6", "GET k", "SET k 7", "CLIENT TRACKING OFF",
            "CLIENT TRACKING ON BCAST PREFIX a PREFIX b", "CLIENT TRACKINGINFO", "SET ab 1", "SET c 1",
            "MSET a2 1 b2 1 a1 1 c2 1", "CLIENT TRACKING ON BCAST PREFIX ab",
            "CLIENT TRACKING ON BCAST PREFIX c", "CLIENT TRACKINGINFO", "SET c 2", "CLIENT TRACKING ON",
            "CLIENT TRACKING OFF", "CLIENT TRACKING ON BCAST NOLOOP", "SET c 3", "CLIENT TRACKINGINFO",
            "CLIENT TRACKING OFF", "CLIENT TRACKING ON BCAST", "CLIENT TRACKINGINFO", "SET c 4", "FLUSHALL",
            "RESET",
        ],
        ["strings"] =
        [
            "GET none", "SET k value", "GET k", "SET k v NX", "SET k v NX GET", "SET none v XX",
            "SET none v XX GET", "SET k w GET", "SET new w GET", "GETSET k x", "GETSET new2 x", "GETDEL none",
            "GETDEL new2", "GETEX none", "GETEX k", "GETEX k PERSIST", "MGET k none new", "MSET a 1 b 2",
            "MSETNX a 1", "MSETNX c 1", "SETNX a 1", "SETEX e 100 v", "PSETEX e 100000 v", "APPEND k y",
            "STRLEN k", "STRLEN none", "GETRANGE k 0 -1", "GETRANGE none 0 -1", "SUBSTR k 0 0",
            "SETRANGE k 1 zz", "SETRANGE none 0 ''", "INCR n", "DECR n", "INCRBY n 5", "DECRBY n 2",
            "INCR k", "INCRBYFLOAT n 0.5", "INCRBYFLOAT n 1e20", "SET s1 ohmytext", "SET s2 mynewtext",
            "LCS s1 s2", "LCS s1 s2 LEN", "LCS s1 s2 IDX", "LCS s1 s2 IDX WITHMATCHLEN MINMATCHLEN 3",
            "LCS none s2", "LCS none s2 IDX", "LCS s1 s2 IDX LEN",
        ],
        ["bitmaps"] =
        [
            "SETBIT b 7 1", "SETBIT b 7 0", "GETBIT b 7", "GETBIT none 7", "SET b abc", "BITCOUNT b",
            "BITCOUNT b 0 0", "BITCOUNT b 0 7 BIT", "BITCOUNT none", "BITPOS b 1", "BITPOS b 0 5",
            "BITPOS none 1", "BITPOS none 0", "BITOP NOT d b", "BITOP AND d b none", "BITFIELD b",
            "BITFIELD b GET u8 0 GET i4 4", "BITFIELD b OVERFLOW FAIL INCRBY u2 0 100 GET u2 0",
            "BITFIELD b SET u8 0 255 OVERFLOW SAT INCRBY u8 0 10", "BITFIELD_RO b GET u8 #1",
            "BITFIELD_RO none GET u8 0",
        ],
        ["keys"] =
        [
            "DUMP none", "RESTORE r 0 x", "RESTORE-ASKING r 0 x", "RESTORE r -1 x", "MIGRATE h p k x 10",
            "RANDOMKEY", "KEYS *", "SCAN 0", "DBSIZE", "SET k v", "RANDOMKEY", "KEYS *", "SCAN 0",
            "SCAN 0 TYPE list", "TYPE k", "TYPE none", "EXISTS k k none", "TOUCH k none", "TTL k",
            "PTTL none",
            "EXPIRETIME k", "PEXPIRETIME none", "EXPIRE k 100", "EXPIRE none 100", "EXPIRE k 200 LT",
            "PEXPIRE k 100000 NX", "EXPIREAT k 9999999999", "PEXPIREAT k 9999999999999", "EXPIRETIME k",
            "PEXPIRETIME k", "PERSIST k", "PERSIST k", "OBJECT ENCODING k", "OBJECT ENCODING none",
            "OBJECT REFCOUNT k", "OBJECT REFCOUNT none", "?OBJECT IDLETIME k", "OBJECT IDLETIME none",
            "OBJECT FREQ k", "OBJECT FREQ none", "COPY k c", "COPY k c", "COPY none c", "MOVE k 1",
            "MOVE none 1", "RENAME c d", "RENAME none d", "RENAMENX d e", "RENAMENX none e", "DEL e none",
            "UNLINK e", "SELECT 1", "SELECT 0", "SWAPDB 0 1", "FLUSHDB", "FLUSHALL", "RPUSH l 3 1 2",
            "SORT l", "SORT l DESC LIMIT 0 1 GET # GET w_*", "SORT l BY nosort STORE s", "SORT none",
            "SORT_RO l GET none", "SORT_RO none", "MEMORY USAGE none", "?MEMORY USAGE l", "WAIT 0 0",
        ],
        ["lists"] =
        [
            "LPOP none", "LPOP none 0", "LPOP none 1", "RPOP none", "RPOP none 3", "LPUSHX none a",
            "RPUSHX none a", "RPUSH l a b c d a", "LPUSH l x", "LPUSHX l y", "RPUSHX l z", "LPOP l",
            "LPOP l 0", "LPOP l 2", "RPOP l", "RPOP l 1", "LLEN l", "LLEN none", "LRANGE l 0 -1",
            "LRANGE none 0 -1", "LRANGE l 5 9", "LINDEX l 0", "LINDEX l 9", "LINDEX none 0", "LPOS l b",
            "LPOS l none", "LPOS none b", "LPOS l none COUNT 0", "LPOS none b COUNT 1", "LPOS l b COUNT 0",
            "LINSERT l BEFORE b w", "LINSERT l AFTER none w", "LINSERT none BEFORE a b", "LSET l 0 q",
            "LSET none 0 q", "LSET l 99 q", "LREM l 0 q", "LREM none 0 q", "LTRIM l 0 1",
            "LMOVE l m LEFT RIGHT", "LMOVE none m LEFT RIGHT", "RPOPLPUSH l m", "RPOPLPUSH none m",
            "LMPOP 2 none none2 LEFT", "LMPOP 2 none m RIGHT COUNT 5", "LMPOP 1 none LEFT COUNT 0",
            "RPUSH l a b c d e f", "BLPOP none l 1", "BRPOP l 1", "BLMOVE l m LEFT LEFT 1",
            "BRPOPLPUSH l m 1", "BLMPOP 1 2 none l LEFT COUNT 2", "BLPOP none 0.01", "BRPOP none 0.01",
            "BLMOVE none m LEFT LEFT 0.01", "BRPOPLPUSH none m 0.01", "BLMPOP 0.01 1 none LEFT",
            "MULTI", "BLPOP none 0", "BLMOVE none m LEFT LEFT 0", "BRPOPLPUSH none m 0",
            "BLMPOP 0 1 none LEFT", "LPOP none", "LPOP none 2", "LRANGE none 0 1", "EXEC",
        ],
        ["hashes"] =
        [
            "HGET none f", "HMGET none f g", "HGETALL none", "HKEYS none", "HVALS none", "HRANDFIELD none",
            "HRANDFIELD none 5", "HRANDFIELD none 5 WITHVALUES", "HSCAN none 0", "HLEN none",
            "HSET h f v g 2", "HSET h f v", "HMSET h i 3", "HSETNX h f v", "HSETNX h j ''", "HGET h f",
            "HGET h none", "HMGET h f none g", "HGETALL h", "HKEYS h", "HVALS h", "HLEN h", "HEXISTS h f",
            "HEXISTS h none", "HSTRLEN h f", "HSTRLEN h none", "HINCRBY h g 5", "HINCRBYFLOAT h g 0.5",
            "HINCRBY h f 1", "HSCAN h 0", "HSCAN h 0 MATCH i", "HDEL h i j none", "?HRANDFIELD h",
            "?HRANDFIELD h 1", "HRANDFIELD h 0", "HRANDFIELD h 5", "HRANDFIELD h 5 WITHVALUES", "HDEL h g",
            "HRANDFIELD h -3", "HRANDFIELD h -3 WITHVALUES", "DEL h", "HGETALL h", "EXISTS h",
        ],
        ["sets"] =
        [
            "SMEMBERS none", "SPOP none", "SPOP none 2", "SRANDMEMBER none", "SRANDMEMBER none 2",
            "SSCAN none 0", "SCARD none", "SISMEMBER none 1", "SMISMEMBER none 1 2", "SADD s 1 2 3",
            "SADD s 1", "SADD t 2 3 4", "SMEMBERS s", "SINTER s t", "SINTER s none", "SUNION s none",
            "SUNION none none2", "SDIFF s t", "SDIFF none s", "SINTERCARD 2 s t", "SINTERCARD 2 s t LIMIT 1",
            "SINTERSTORE d s t", "SUNIONSTORE d s t", "SDIFFSTORE d s s", "SISMEMBER s 1", "SISMEMBER s 9",
            "SMISMEMBER s 1 9", "SMOVE s t 1", "SMOVE s t 9", "SREM s 9", "SREM s 2", "SCARD s", "SSCAN s 0",
            "SRANDMEMBER s", "SRANDMEMBER s 5", "SRANDMEMBER s -2", "SRANDMEMBER s 0", "SPOP s 0", "SPOP s",
            "SADD s 1", "SPOP s 5", "SPOP s 5", "SMEMBERS s",
        ],
        ["sorted sets"] =
        [
            "ZSCORE none a", "ZADD z 1 a 2.5 b -3 c inf d -inf e", "ZADD z CH 1 a 4 b", "ZADD z INCR 0.5 a",
            "ZADD z NX INCR 1 a", "ZADD z XX INCR 1 none", "ZADD z INCR 1e20 f", "ZINCRBY z 2 c",
            "ZINCRBY z inf e", "ZSCORE z a", "ZSCORE z d", "ZSCORE z e", "ZSCORE z f", "ZSCORE z none",
            "ZMSCORE z a none d", "ZMSCORE none a", "ZRANK z a", "ZRANK z none", "ZRANK none a",
            "ZREVRANK z a", "ZREVRANK none a", "ZCARD z", "ZCARD none", "ZCOUNT z -inf +inf",
            "ZADD z 3e9 h 4503599627370497 i 1e100 j -0.0 k 0.125 l",
            "ZRANGE z 0 -1", "ZRANGE z 0 -1 WITHSCORES", "ZRANGE none 0 -1 WITHSCORES",
            "ZRANGE z -inf +inf BYSCORE LIMIT 0 2 WITHSCORES", "ZRANGE z 0 1 REV WITHSCORES",
            "ZREVRANGE z 0 1 WITHSCORES", "ZREVRANGE z 0 1", "ZRANGEBYSCORE z 0 10 WITHSCORES",
            "ZRANGEBYSCORE z 0 10", "ZREVRANGEBYSCORE z 10 0 WITHSCORES LIMIT 0 1",
            "ZRANGEBYSCORE none 0 1", "ZADD x 0 a 0 b 0 c", "ZRANGEBYLEX x - +", "ZREVRANGEBYLEX x + (a",
            "ZLEXCOUNT x - +", "ZRANGESTORE y z 0 1", "ZADD y 2 a", "ZUNION 2 x y", "ZUNION 2 x y WITHSCORES",
            "ZINTER 2 x y WITHSCORES WEIGHTS 2 3", "ZINTER 2 x none WITHSCORES", "ZDIFF 2 x y WITHSCORES",
            "ZDIFF 2 x y", "ZINTERCARD 2 x y", "ZUNIONSTORE u 2 x y", "ZINTERSTORE u 2 x y",
            "ZDIFFSTORE u 2 x y", "ZSCAN x 0", "ZSCAN none 0", "ZSCAN z 0 MATCH [ad]", "ZRANDMEMBER none",
            "ZRANDMEMBER none 3", "ZRANDMEMBER none 3 WITHSCORES", "?ZRANDMEMBER x 9",
            "?ZRANDMEMBER x 9 WITHSCORES", "?ZRANDMEMBER x", "?ZRANDMEMBER x -2 WITHSCORES",
            "ZRANDMEMBER x 0 WITHSCORES", "ZPOPMIN none", "ZPOPMIN none 2", "ZPOPMIN z", "ZPOPMIN z 2",
            "ZPOPMAX z", "ZPOPMAX z 1", "ZPOPMAX z 0", "ZMPOP 1 none MIN", "ZMPOP 2 none z MIN COUNT 2",
            "ZMPOP 1 z MAX", "BZPOPMIN none z 1", "BZPOPMAX z 1", "BZMPOP 1 2 none z MIN COUNT 2",
            "BZPOPMIN none 0.01", "BZPOPMAX none 0.01", "BZMPOP 0.01 1 none MIN", "MULTI", "BZPOPMIN none 0",
            "BZPOPMAX none 0", "BZMPOP 0 1 none MIN", "ZPOPMIN none", "ZSCORE none a", "EXEC", "ZREM x a",
            "ZREMRANGEBYRANK x 0 0", "ZREMRANGEBYSCORE x 5 6", "ZREMRANGEBYLEX x - +",
        ],
        ["places"] =
        [
            "GEOADD g 13.361389 38.115556 a 15.087269 37.502669 b", "GEOADD g CH 13.361389 38.115556 a",
            "GEODIST g a b", "GEODIST g a b km", "GEODIST g a none", "GEODIST none a b", "?GEOPOS g a none b",
            "GEOPOS none a", "GEOPOS none", "GEOHASH g a none", "GEOHASH none a",
            "GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km ASC",
            "GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km ASC WITHDIST WITHHASH",
            "?GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km ASC WITHCOORD WITHDIST",
            "GEOSEARCH none FROMLONLAT 15 37 BYRADIUS 200 km", "GEOSEARCH g FROMMEMBER a BYBOX 1 1 km",
            "GEORADIUS g 15 37 200 km ASC WITHDIST", "GEORADIUS none 15 37 200 km",
            "GEORADIUS none 15 37 200 km STORE d", "GEORADIUS g 15 37 200 km STOREDIST d",
            "GEORADIUS_RO g 15 37 200 km COUNT 1 ASC", "GEORADIUSBYMEMBER g a 1 km WITHHASH",
            "GEORADIUSBYMEMBER_RO g a 1 km WITHDIST", "GEORADIUSBYMEMBER_RO none a 1 km",
            "GEOSEARCHSTORE d g FROMMEMBER a BYRADIUS 1 km",
            "GEOSEARCHSTORE d none FROMMEMBER a BYRADIUS 1 m",
        ],
        ["hyperloglogs"] =
        [
            "PFADD p a b c", "PFADD p a", "PFADD q", "PFCOUNT p", "PFCOUNT none", "PFCOUNT p q",
            "PFMERGE m p q", "PFMERGE none", "PFDEBUG ENCODING p", "PFDEBUG DECODE p",
            "PFDEBUG TODENSE p", "PFSELFTEST",
        ],
        ["streams"] =
        [
            "XLEN none", "XRANGE none - +", "XREAD STREAMS none 0", "XADD none NOMKSTREAM 1-1 a b",
            "XADD x 1-1 a 1 b 2", "XADD x 2-0 a 3", "XADD y 1-0 c 4", "XLEN x", "XRANGE x - +",
            "XRANGE x 9 +", "XREVRANGE x + -", "XREAD STREAMS x y 0 0", "XREAD COUNT 1 STREAMS x 1-1",
            "XREAD STREAMS x $", "XREAD BLOCK 10 STREAMS x $", "XGROUP CREATE x g 0",
            "XGROUP CREATE none g $ MKSTREAM", "XGROUP CREATE x g 0", "XGROUP CREATECONSUMER x g idle",
            "XREADGROUP GROUP g c STREAMS x >", "XREADGROUP GROUP g c STREAMS x 0",
            "XREADGROUP GROUP g c STREAMS x >", "XREADGROUP GROUP g d STREAMS x 0", "XPENDING x g",
            "XGROUP CREATE x streams 0", "XREADGROUP COUNT 1 GROUP streams c STREAMS x >",
            "XREADGROUP NOACK GROUP g Streams STREAMS x >", "XGROUP DELCONSUMER x g Streams",
            "XREADGROUP BLOCK 10 GROUP streams streams STREAMS x 0", "XGROUP DESTROY x streams",
            "XPENDING none g", "?XPENDING x g - + 10", "XACK x g 1-1", "XACK x g 9-9",
            "XREADGROUP GROUP g c COUNT 1 BLOCK 10 STREAMS x >", "XCLAIM x g d 0 2-0",
            "XCLAIM x g d 0 2-0 JUSTID", "XCLAIM x g d 0 9-9", "XDEL x 2-0", "XCLAIM x g d 0 2-0",
            "XREADGROUP GROUP g d STREAMS x 0", "XAUTOCLAIM x g c 0 0", "XAUTOCLAIM x g c 0 0 JUSTID",
            "XADD x 3-0 a 5", "XREADGROUP GROUP g c STREAMS x >", "XAUTOCLAIM x g d 0 0 COUNT 1",
            "XPENDING x g", "XACK x g 3-0", "XPENDING x g", "XINFO STREAM none", "XINFO GROUPS y",
            "XGROUP SETID x g 0", "XGROUP DELCONSUMER x g idle", "XGROUP DESTROY x g", "XGROUP DESTROY x g",
            "XSETID y 5-0", "XTRIM x MAXLEN 1", "XTRIM none MAXLEN 1", "MULTI", "XREAD BLOCK 0 STREAMS x $",
            "XREAD STREAMS x 0", "EXEC",
        ],
        ["messages"] =
        [
            "PUBSUB CHANNELS", "PUBSUB NUMSUB", "PUBSUB NUMSUB a b", "PUBSUB NUMPAT", "PUBSUB SHARDCHANNELS",
            "PUBSUB SHARDNUMSUB a", "PUBLISH a m", "SPUBLISH a m", "UNSUBSCRIBE", "PUNSUBSCRIBE",
            "SUNSUBSCRIBE", "UNSUBSCRIBE a b", "PUNSUBSCRIBE a*", "SUNSUBSCRIBE a", "SUBSCRIBE a b",
            "SUBSCRIBE a", "PSUBSCRIBE a*", "SSUBSCRIBE a", "PING", "PING hi", "PING ''", "GET k",
            "PUBLISH none m", "SPUBLISH none m", "PUBSUB CHANNELS a", "PUBSUB NUMSUB a b",
            "UNSUBSCRIBE a", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE", "PUBSUB CHANNELS", "MULTI",
            "SUBSCRIBE a", "UNSUBSCRIBE", "PUBLISH a m", "EXEC", "SUBSCRIBE a", "RESET", "PING",
        ],
        ["transactions"] =
        [
            "EXEC", "DISCARD", "WATCH k", "UNWATCH", "MULTI", "MULTI", "WATCH k", "EXEC", "MULTI", "GET none",
            "HGETALL none", "SMEMBERS none", "NOSUCH", "EXEC", "MULTI", "SET k v", "GET none", "LPOP none 1",
            "INCR k", "HGETALL none", "SMEMBERS none", "ZSCORE none a", "EXEC", "MULTI", "EXEC", "MULTI",
            "GET k", "DISCARD", "WATCH k", "SET k changed", "MULTI", "GET k", "EXEC",
        ],
        ["connection"] =
        [
            "PING", "PING x", "ECHO x", "ECHO ''", "CLIENT GETNAME", "CLIENT SETNAME n", "CLIENT GETNAME",
            "CLIENT SETNAME ''", "CLIENT GETNAME", "?CLIENT ID", "CLIENT GETREDIR", "?CLIENT INFO",
            "?CLIENT LIST", "?CLIENT LIST TYPE normal", "CLIENT LIST TYPE pubsub", "CLIENT LIST ID 999",
            "CLIENT NO-EVICT ON", "CLIENT NO-EVICT OFF", "CLIENT REPLY ON", "CLIENT UNPAUSE",
            "CLIENT UNBLOCK 999", "CLIENT KILL ID 999", "CLIENT KILL 1.2.3.4:5", "HELLO", "SELECT 0",
            "ASKING", "READONLY", "READWRITE", "RESET", "CLIENT GETNAME",
        ],
        ["scripts"] =
        [
            "EVAL return{1,2,3.7,'a',false,true,{},{{}},5} 0", "EVAL return{1,nil,3} 0", "EVAL return 0",
            "EVAL return{KEYS[1],ARGV[1],ARGV[2]} 1 k x y", "EVAL return{ok='fine'} 0",
            "EVAL return{err='own'} 0", "EVAL return{double=3.5} 0", "EVAL return{map={a=1}} 0",
            "EVAL return{set={a=true}} 0", "EVAL return{big_number='12345678901234567890'} 0",
            "EVAL return{verbatim_string={format='txt',string='a'}} 0", "EVAL x 0", "EVAL return( 0",
            "EVAL error('a') 0", "EVAL return x", "EVAL return -1", "EVAL return 2 k", "EVAL",
            "EVAL return(redis.call('SET',KEYS[1],'v')) 1 k", "EVAL return(redis.call('GET',KEYS[1])) 1 k",
            "EVAL return(redis.call('GET','none')) 0", "EVAL return(redis.call('HGETALL','none')) 0",
            "EVAL redis.setresp(3);return(redis.call('HGETALL','none')) 0",
            "EVAL redis.setresp(3);return(redis.call('GET','none')) 0",
            "EVAL return(redis.call('LPUSH','k','x')) 1 k", "EVAL return(redis.pcall('LPUSH','k','x')) 1 k",
            "EVAL return(redis.call('NOSUCH')) 0", "EVAL return(redis.call()) 0",
            "EVAL_RO return(redis.call('GET',KEYS[1])) 1 k", "EVAL_RO return(redis.call('DEL',KEYS[1])) 1 k",
            "EVALSHA a 0", "EVALSHA ffffffffffffffffffffffffffffffffffffffff 0", "EVALSHA",
            "EVALSHA_RO ffffffffffffffffffffffffffffffffffffffff 0", "SCRIPT LOAD return(7)",
            "EVALSHA bc70ae583496ef68242126e5f723b4224435af02 0", "SCRIPT LOAD return(", "DEL k",
        ],
        ["replication"] =
        [
            "REPLCONF", "REPLCONF a", "REPLCONF nope 1", "REPLCONF listening-port x", "REPLCONF capa eof",
            "REPLCONF listening-port 1 capa psync2", "REPLCONF rdb-only 2", "REPLCONF rdb-filter-only what",
            "REPLCONF ip-address aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "REPLCONF version",
            "FAILOVER", "FAILOVER ABORT", "FAILOVER TO a", "FAILOVER TO a 1", "FAILOVER TO a 1 FORCE",
            "FAILOVER TIMEOUT 0", "FAILOVER TIMEOUT x", "FAILOVER ABORT x", "FAILOVER x", "SYNC x", "PSYNC",
            "PSYNC x", "PSYNC ? x", "PSYNC a 1 FAILOVER",
        ],
        ["server"] =
        [
            "REPLICAOF NO ONE", "REPLICAOF localhost x", "REPLICAOF localhost 65536", "SLAVEOF no one",
            "?TIME", "?LASTSAVE", "ROLE", "LATENCY LATEST", "LATENCY HISTORY none", "LATENCY RESET",
            "LATENCY HISTOGRAM nosuch", "?LATENCY DOCTOR", "SLOWLOG GET", "SLOWLOG LEN", "SLOWLOG RESET",
            "CONFIG GET maxmemory", "CONFIG GET nosuch", "?CONFIG GET maxmemory timeout",
            "CONFIG SET maxmemory 0", "CONFIG RESETSTAT", "COMMAND INFO nosuch", "COMMAND INFO get nosuch",
            "COMMAND DOCS nosuch", "COMMAND GETKEYS get k", "COMMAND GETKEYSANDFLAGS get k",
            "COMMAND LIST FILTERBY PATTERN xlen", "COMMAND LIST FILTERBY PATTERN none", "?COMMAND COUNT",
            "MODULE LIST", "SCRIPT FLUSH", "SCRIPT FLUSH ASYNC", "script flush sync", "SCRIPT FLUSH x",
            "SCRIPT FLUSH SYNC ASYNC", "SCRIPT EXISTS", "SCRIPT EXISTS a",
            "SCRIPT EXISTS a b c", "SCRIPT KILL", "SCRIPT KILL x", "SCRIPT", "SCRIPT nosuch",
            "FUNCTION FLUSH", "FUNCTION FLUSH ASYNC",
            "function flush sync", "FUNCTION FLUSH x", "FUNCTION FLUSH SYNC x", "FUNCTION DELETE x",
            "FUNCTION DELETE", "FUNCTION LIST", "FUNCTION LIST WITHCODE",
            "FUNCTION LIST libraryname x WithCode",
            "FUNCTION LIST WITHCODE withcode", "FUNCTION LIST LIBRARYNAME",
            "FUNCTION LIST LIBRARYNAME a libraryname b", "FUNCTION LIST x", "FUNCTION KILL", "FUNCTION",
            "FUNCTION nosuch", "FUNCTION LOAD", "FUNCTION LOAD x y", "FUNCTION LOAD x",
            "FUNCTION LOAD replace x",
            "FUNCTION LOAD REPLACE", "FUNCTION STATS", "FUNCTION STATS x", "FUNCTION DUMP x",
            "FUNCTION RESTORE", "FUNCTION RESTORE x", "FUNCTION RESTORE x y", "FUNCTION RESTORE x flush z",
            "FUNCTION HELP", "FCALL", "FCALL f", "FCALL f 0", "FCALL_RO f", "FCALL_RO f x", "?INFO",
            "?INFO nosuch", "?LOLWUT", "?MEMORY DOCTOR", "MEMORY PURGE",
            "CLUSTER INFO", "DEBUG PROTOCOL STRING", "DEBUG PROTOCOL INTEGER", "DEBUG PROTOCOL DOUBLE",
            "DEBUG PROTOCOL NULL", "DEBUG PROTOCOL ARRAY", "DEBUG PROTOCOL SET", "DEBUG PROTOCOL MAP",
            "DEBUG PROTOCOL ATTRIB", "DEBUG PROTOCOL PUSH", "DEBUG PROTOCOL BIGNUM",
            "DEBUG PROTOCOL VERBATIM", "DEBUG PROTOCOL TRUE", "DEBUG PROTOCOL FALSE", "DEBUG PROTOCOL X",
        ],
    };

    /// <summary>Whole conversations behind a HELLO, ended by QUIT; INLINE marks an inline command.</summary>
    public static IReadOnlyList<string> Conversations { get; } =
    [
        "CLIENT REPLY OFF; PING; NOSUCH; CLIENT REPLY ON; PING",
        "CLIENT REPLY SKIP; PING; PING", "CLIENT REPLY SKIP; CLIENT REPLY SKIP; PING; PING",
        "CLIENT REPLY SKIP; NOSUCH; PING", "CLIENT REPLY SKIP; CLIENT REPLY ON; PING",
        "CLIENT REPLY OFF; CLIENT REPLY SKIP; PING; PING; CLIENT REPLY ON; PING",
        "CLIENT REPLY OFF; CLIENT REPLY NO; CLIENT REPLY; CLIENT REPLY ON x; PING; CLIENT REPLY ON",
        "CLIENT REPLY SKIP; CLIENT REPLY NO; PING",
        "MULTI; CLIENT REPLY ON; PING; EXEC; PING", "MULTI; CLIENT REPLY SKIP; PING; PING; EXEC; PING; PING",
        "MULTI; CLIENT REPLY OFF; PING; EXEC; PING; CLIENT REPLY ON; PING", "MULTI; CLIENT REPLY NO; EXEC",
        "MULTI; CLIENT REPLY OFF; CLIENT REPLY ON; PING; EXEC; PING",
        "CLIENT REPLY OFF; MULTI; PING; EXEC; CLIENT REPLY ON; PING",
        "CLIENT REPLY SKIP; MULTI; PING; EXEC; PING", "MULTI; PING; CLIENT REPLY SKIP; EXEC; PING; PING",
        "CLIENT REPLY OFF; SUBSCRIBE a; UNSUBSCRIBE a; CLIENT REPLY ON; PING",
        "CLIENT REPLY SKIP; SUBSCRIBE a b; UNSUBSCRIBE a b; PING",
        "CLIENT REPLY OFF; RESET; PING", "CLIENT REPLY SKIP; RESET; PING; PING",
        "CLIENT REPLY OFF; HELLO 3; CLIENT REPLY ON; HGETALL none", "CLIENT REPLY OFF",
        "CLIENT REPLY SKIP", "MULTI; CLIENT REPLY OFF",
        "HELLO; HELLO 2; HGETALL none; HELLO 3; HGETALL none; HELLO; HELLO 2; HGETALL none",
        "HELLO 1; HELLO 4; HELLO 0; HELLO -3; HELLO x; HELLO ''; HELLO 3x; HELLO 99999999999999999999; PING",
        "HELLO AUTH default x; HELLO SETNAME x; HELLO 3 AUTH; HELLO 3 AUTH default; HELLO 3 SETNAME; PING",
        "HELLO 3 AUTH default x; HELLO 3 AUTH nobody x; HELLO 3 AUTH default ''; HGETALL none",
        "HELLO 3 SETNAME n; CLIENT GETNAME; HELLO 2 SETNAME ''; CLIENT GETNAME; HELLO 3 SETNAME \n; PING",
        "HELLO 2 NO; HELLO 2 SETNAME a SETNAME b; CLIENT GETNAME; HELLO 2 AUTH default x SETNAME c",
        "HELLO 2 SETNAME c AUTH default x; CLIENT GETNAME",
        "HELLO 4 SETNAME q; CLIENT GETNAME; HGETALL none",
        "MULTI; HELLO 3; HGETALL none; EXEC; HGETALL none",
        "MULTI; HELLO 2; HGETALL none; EXEC; HGETALL none",
        "MULTI; HELLO 4; HELLO x; HELLO 3 NO; EXEC; HGETALL none", "MULTI; HELLO; EXEC",
        "MULTI; HELLO 3 SETNAME n; CLIENT GETNAME; EXEC; DISCARD",
        "MULTI; GET k; RESET; EXEC; DISCARD; HGETALL none", "MULTI; RESET x; EXEC", "RESET; HGETALL none",
        "RESET a; RESET; RESET", "SUBSCRIBE a; RESET; GET none; PUBSUB CHANNELS",
        "WATCH k; RESET; MULTI; EXEC",
        "CLIENT SETNAME n; SELECT 3; RESET; CLIENT GETNAME", "SUBSCRIBE a; HELLO 3; HELLO 2; GET none; PING",
        "SUBSCRIBE a; HELLO 2; PING; PING x; UNSUBSCRIBE; PING",
        "SUBSCRIBE a; AUTH x; CLIENT REPLY OFF; PING",
        "SUBSCRIBE a; MULTI; EXEC; DISCARD; PING", "SUBSCRIBE a; NOSUCH; PING a b; SUBSCRIBE; PING",
        "MULTI; SUBSCRIBE a; PUBLISH b m; GET none; EXEC; GET none; PING",
        "AUTH; AUTH x; AUTH default; AUTH default x; AUTH nobody x; AUTH a b c; AUTH ''; PING",
        "MULTI; AUTH x; AUTH nobody x; AUTH default x; EXEC; MULTI; AUTH; EXEC",
        "CLIENT NO-TOUCHED ON; CLIENT NO-EVICT; CLIENT NO-EVICT x; MULTI; CLIENT NO-EVICT ON; EXEC",
        "INLINE PING; INLINE CLIENT REPLY SKIP; INLINE PING; INLINE HELLO 3; INLINE HGETALL none",
        "MULTI; QUIT; EXEC", "SUBSCRIBE a; QUIT; PING", "QUIT x; PING",
        "MULTI; PING; DISCARD x; EXEC x; EXEC",
    ];

    /// <summary>Conversations with a server whose password is "secret".</summary>
    public static IReadOnlyList<string> GuardedConversations { get; } =
    [
        "PING; GET k; NOSUCH; GET; COMMAND COUNT x; MULTI; EXEC; DISCARD; WATCH k; SUBSCRIBE a; RESET; PING",
        "HELLO; HELLO 3; HELLO 2; HELLO 4; HELLO x; HELLO 3 SETNAME n; HELLO 3 NO; HELLO 3 AUTH",
        "HELLO 3 AUTH default no; HGETALL none; HELLO 3 AUTH default secret; HGETALL none",
        "HELLO 3 AUTH nobody secret; HELLO 3 SETNAME n AUTH default secret; CLIENT GETNAME",
        "HELLO 3 AUTH default no; HELLO 3 AUTH default secret; CLIENT GETNAME",
        "HELLO 4 AUTH default secret; GET none; HELLO 2 AUTH default no; GET none",
        "AUTH; AUTH no; GET none; AUTH secret; GET none; AUTH no; GET none; AUTH default secret x; GET none",
 
        "AUTH default no; AUTH nobody secret; AUTH default secret; GET none; RESET; GET none; AUTH secret",
        "AUTH secret; MULTI; AUTH no; AUTH secret; GET none; EXEC", "CLIENT REPLY OFF; AUTH secret; PING",
        "CLIENT REPLY SKIP; AUTH secret; PING", "AUTH secret; MULTI; RESET; EXEC; GET none", "QUIT; PING",
    ];

    /// <summary>Commands of redis-server 7.0 that are compared elsewhere: how a server watches and
    /// ends.</summary>
    public static IReadOnlyList<string> Elsewhere { get; } =
        ["monitor", "shutdown", "save", "bgsave", "bgrewriteaof"];

    /// <summary>The words of a line.</summary>
    public static string[] WordsOf(string line) =>
        [.. line.TrimStart('?').Split(' ').Select(static word => word == "''" ? "" : word)];
}
