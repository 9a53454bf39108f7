"""Drives redis-py as users with rules: redis_py_access.py PORT. Prints ok where all is well."""
import sys

import redis

port = int(sys.argv[1])
admin = redis.Redis(port=port, decode_responses=True)
assert admin.acl_setuser(
    "py", enabled=True, passwords=["+secret"], categories=["+@all", "-@dangerous"], keys=["py:*"],
    channels=["py:*"])
assert admin.acl_getuser("py")["keys"] == ["~py:*"] or "~py:*" in str(admin.acl_getuser("py"))
assert "py" in admin.acl_users() and admin.acl_whoami() == "default"
assert len(admin.acl_genpass()) == 64

client = redis.Redis(port=port, username="py", password="secret", decode_responses=True)
assert client.acl_whoami() == "py"
assert client.set("py:a", "1") and client.get("py:a") == "1"


def denied(call):
    try:
        call()
    except redis.exceptions.NoPermissionError:
        return True
    return False


assert denied(lambda: client.get("other"))
assert denied(lambda: client.config_get("port"))
assert denied(lambda: client.publish("other", "x"))
with client.pipeline(transaction=True) as pipe:
    pipe.set("py:b", "2").set("other", "2")
    assert denied(pipe.execute)
assert admin.exists("py:b", "other") == 0
assert admin.acl_log()[0]["username"] == "py"
admin.acl_setuser("py", enabled=True, commands=["-get"], reset=False)
assert denied(lambda: client.get("py:a"))
try:
    redis.Redis(port=port, username="py", password="wrong").ping()
    raise SystemExit("a wrong password must fail")
except (redis.exceptions.AuthenticationError, redis.exceptions.ResponseError):
    pass
assert admin.acl_deluser("py") == 1
try:
    client.ping()
    raise SystemExit("a deleted user must be disconnected")
except (redis.exceptions.ConnectionError, redis.exceptions.ResponseError):
    pass
print("ok")
