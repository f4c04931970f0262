// The numbers of curl_library.h against those of curl/curl.h, where a machine has that header. They
// are a part of libcurl's binary interface, which has been the same since libcurl.so.4.
#pragma once

#if __has_include(<curl/curl.h>)
#include <curl/curl.h>

#include "autokernel/http/curl_library.h"

namespace autokernel::http {

static_assert(sizeof(CurlMessage) == sizeof(CURLMsg));
static_assert(offsetof(CurlMessage, data) == offsetof(CURLMsg, data));
static_assert(sizeof(std::int64_t) == sizeof(curl_off_t));
static_assert(kCurlErrorSize == CURL_ERROR_SIZE);

#define AUTOKERNEL_SAME(ours, theirs) \
  static_assert(static_cast<long>(ours) == static_cast<long>(theirs))
AUTOKERNEL_SAME(kCurlUnsupportedProtocol, CURLE_UNSUPPORTED_PROTOCOL);
AUTOKERNEL_SAME(kCurlMalformedUrl, CURLE_URL_MALFORMAT);
AUTOKERNEL_SAME(kCurlNoProxy, CURLE_COULDNT_RESOLVE_PROXY);
AUTOKERNEL_SAME(kCurlNoHost, CURLE_COULDNT_RESOLVE_HOST);
AUTOKERNEL_SAME(kCurlNoConnection, CURLE_COULDNT_CONNECT);
AUTOKERNEL_SAME(kCurlWeirdServerReply, CURLE_WEIRD_SERVER_REPLY);
AUTOKERNEL_SAME(kCurlPartialFile, CURLE_PARTIAL_FILE);
AUTOKERNEL_SAME(kCurlWriteError, CURLE_WRITE_ERROR);
AUTOKERNEL_SAME(kCurlTimedOut, CURLE_OPERATION_TIMEDOUT);
AUTOKERNEL_SAME(kCurlTlsConnectError, CURLE_SSL_CONNECT_ERROR);
AUTOKERNEL_SAME(kCurlTooManyRedirects, CURLE_TOO_MANY_REDIRECTS);
AUTOKERNEL_SAME(kCurlGotNothing, CURLE_GOT_NOTHING);
AUTOKERNEL_SAME(kCurlSendError, CURLE_SEND_ERROR);
AUTOKERNEL_SAME(kCurlReceiveError, CURLE_RECV_ERROR);
AUTOKERNEL_SAME(kCurlPeerNotVerified, CURLE_PEER_FAILED_VERIFICATION);
AUTOKERNEL_SAME(CurlLong::verbose, CURLOPT_VERBOSE);
AUTOKERNEL_SAME(CurlLong::no_progress, CURLOPT_NOPROGRESS);
AUTOKERNEL_SAME(CurlLong::fail_on_error, CURLOPT_FAILONERROR);
AUTOKERNEL_SAME(CurlLong::upload, CURLOPT_UPLOAD);
AUTOKERNEL_SAME(CurlLong::post, CURLOPT_POST);
AUTOKERNEL_SAME(CurlLong::follow_location, CURLOPT_FOLLOWLOCATION);
AUTOKERNEL_SAME(CurlLong::ssl_verify_peer, CURLOPT_SSL_VERIFYPEER);
AUTOKERNEL_SAME(CurlLong::http_get, CURLOPT_HTTPGET);
AUTOKERNEL_SAME(CurlLong::ssl_verify_host, CURLOPT_SSL_VERIFYHOST);
AUTOKERNEL_SAME(CurlLong::http_version, CURLOPT_HTTP_VERSION);
AUTOKERNEL_SAME(CurlLong::buffer_size, CURLOPT_BUFFERSIZE);
AUTOKERNEL_SAME(CurlLong::no_signal, CURLOPT_NOSIGNAL);
AUTOKERNEL_SAME(CurlLong::tcp_no_delay, CURLOPT_TCP_NODELAY);
AUTOKERNEL_SAME(CurlLong::timeout_ms, CURLOPT_TIMEOUT_MS);
AUTOKERNEL_SAME(CurlLong::connect_timeout_ms, CURLOPT_CONNECTTIMEOUT_MS);
AUTOKERNEL_SAME(CurlLong::tcp_keep_alive, CURLOPT_TCP_KEEPALIVE);
AUTOKERNEL_SAME(CurlText::proxy, CURLOPT_PROXY);
AUTOKERNEL_SAME(CurlText::post_fields, CURLOPT_POSTFIELDS);
AUTOKERNEL_SAME(CurlText::user_agent, CURLOPT_USERAGENT);
AUTOKERNEL_SAME(CurlText::mail_from, CURLOPT_MAIL_FROM);
AUTOKERNEL_SAME(CurlText::user_name, CURLOPT_USERNAME);
AUTOKERNEL_SAME(CurlText::password, CURLOPT_PASSWORD);
AUTOKERNEL_SAME(CurlText::custom_request, CURLOPT_CUSTOMREQUEST);
AUTOKERNEL_SAME(CurlText::ca_info, CURLOPT_CAINFO);
AUTOKERNEL_SAME(CurlText::url, CURLOPT_URL);
AUTOKERNEL_SAME(CurlText::unix_socket_path, CURLOPT_UNIX_SOCKET_PATH);
#if LIBCURL_VERSION_NUM >= 0x075500
AUTOKERNEL_SAME(CurlText::protocols, CURLOPT_PROTOCOLS_STR);
#endif
AUTOKERNEL_SAME(CurlPointer::write_data, CURLOPT_WRITEDATA);
AUTOKERNEL_SAME(CurlPointer::read_data, CURLOPT_READDATA);
AUTOKERNEL_SAME(CurlPointer::error_buffer, CURLOPT_ERRORBUFFER);
AUTOKERNEL_SAME(CurlPointer::header_data, CURLOPT_HEADERDATA);
AUTOKERNEL_SAME(CurlPointer::mail_recipients, CURLOPT_MAIL_RCPT);
AUTOKERNEL_SAME(CurlPointer::http_header, CURLOPT_HTTPHEADER);
AUTOKERNEL_SAME(CurlPointer::private_data, CURLOPT_PRIVATE);
AUTOKERNEL_SAME(CurlSize::post_field_size, CURLOPT_POSTFIELDSIZE_LARGE);
AUTOKERNEL_SAME(CurlSize::in_file_size, CURLOPT_INFILESIZE_LARGE);
AUTOKERNEL_SAME(CurlCallback::write, CURLOPT_WRITEFUNCTION);
AUTOKERNEL_SAME(CurlCallback::read, CURLOPT_READFUNCTION);
AUTOKERNEL_SAME(CurlCallback::header, CURLOPT_HEADERFUNCTION);
AUTOKERNEL_SAME(kCurlHttp11, CURL_HTTP_VERSION_1_1);
AUTOKERNEL_SAME(CurlInfoLong::response_code, CURLINFO_RESPONSE_CODE);
AUTOKERNEL_SAME(CurlInfoLong::connections_made, CURLINFO_NUM_CONNECTS);
AUTOKERNEL_SAME(CurlInfoPointer::private_data, CURLINFO_PRIVATE);
AUTOKERNEL_SAME(CurlInfoTime::total, CURLINFO_TOTAL_TIME_T);
AUTOKERNEL_SAME(CurlInfoTime::name_looked_up, CURLINFO_NAMELOOKUP_TIME_T);
AUTOKERNEL_SAME(CurlInfoTime::connected, CURLINFO_CONNECT_TIME_T);
AUTOKERNEL_SAME(CurlInfoTime::before_transfer, CURLINFO_PRETRANSFER_TIME_T);
AUTOKERNEL_SAME(CurlInfoTime::first_byte, CURLINFO_STARTTRANSFER_TIME_T);
AUTOKERNEL_SAME(CurlMultiLong::most_kept_connections, CURLMOPT_MAXCONNECTS);
AUTOKERNEL_SAME(CurlMultiPointer::socket_data, CURLMOPT_SOCKETDATA);
AUTOKERNEL_SAME(CurlMultiPointer::timer_data, CURLMOPT_TIMERDATA);
AUTOKERNEL_SAME(CurlMultiCallback::socket, CURLMOPT_SOCKETFUNCTION);
AUTOKERNEL_SAME(CurlMultiCallback::timer, CURLMOPT_TIMERFUNCTION);
AUTOKERNEL_SAME(kCurlPollIn, CURL_POLL_IN);
AUTOKERNEL_SAME(kCurlPollOut, CURL_POLL_OUT);
AUTOKERNEL_SAME(kCurlPollInOut, CURL_POLL_INOUT);
AUTOKERNEL_SAME(kCurlPollRemove, CURL_POLL_REMOVE);
AUTOKERNEL_SAME(kCurlSelectIn, CURL_CSELECT_IN);
AUTOKERNEL_SAME(kCurlSelectOut, CURL_CSELECT_OUT);
AUTOKERNEL_SAME(kCurlSelectError, CURL_CSELECT_ERR);
AUTOKERNEL_SAME(kCurlSocketTimeout, CURL_SOCKET_TIMEOUT);
AUTOKERNEL_SAME(kCurlDone, CURLMSG_DONE);
#undef AUTOKERNEL_SAME

}  // namespace autokernel::http

#endif
